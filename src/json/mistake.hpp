// The mistakes that people make in text that is not JSON.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace regatta::json {

struct Mistake {
  std::uint32_t line = 1;
  std::string found;
  std::string expected;
};

/// The first mistake in plain words, on the line where it is to be mended (a missing comma: behind the value before
/// it). Nothing if `text` is JSON, wrong in a way that has no words here, or nested deeper
/// than `deepest`.
std::optional<Mistake> find_mistake(std::string_view text, std::size_t deepest);

}  // namespace regatta::json
