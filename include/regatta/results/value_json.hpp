// A parameter's value in a JSON document, whichever library holds the document.
#pragma once

#include <string>
#include <type_traits>
#include <variant>

#include "regatta/sweep/parameters.hpp"

namespace regatta::results {

template <class Json>
Json json_of(const sweep::Value& value) {
  return std::visit(
      [](const auto& held) -> Json {
        if constexpr (std::is_same_v<std::decay_t<decltype(held)>, std::monostate>)
          return nullptr;
        else
          return held;
      },
      value);
}

}  // namespace regatta::results
