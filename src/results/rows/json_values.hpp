// JSON as this project's records hold it.
#pragma once

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::results {

using Json = nlohmann::ordered_json;

/// Messages of foreign programs may hold any bytes; what is not UTF-8 is replaced, not refused.
inline std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// The library's words without its own name for the error.
inline std::string words_of(const nlohmann::json::exception& error) {
  const std::string_view text = error.what();
  const std::size_t end = text.find("] ");
  return std::string(end == std::string_view::npos ? text : text.substr(end + 2));
}

/// JSON has no NaN: null stands for it.
inline double number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

/// JSON from a record. Throws InputError for what nests deeper than any record, and as the library does.
inline Json parse_flat(const std::string& text) {
  constexpr int deepest = 16;
  return Json::parse(text, [](int depth, Json::parse_event_t, const Json&) {
    if (depth > deepest) throw InputError("its JSON nests too deep");
    return true;
  });
}

/// `value`, called `name`: an integer that the type holds, and that is not below `least`. Throws InputError.
template <class Integer>
Integer as_integer(const Json& value, std::string_view name, Integer least = std::numeric_limits<Integer>::min()) {
  const bool fits = value.is_number_unsigned()
                        ? std::in_range<Integer>(value.get<std::uint64_t>())
                        : value.is_number_integer() && std::in_range<Integer>(value.get<std::int64_t>());
  if (!fits || value.get<Integer>() < least)
    throw InputError("its " + std::string(name) + " is " + text_of(value).substr(0, 40) + ", which is no such number");
  return value.get<Integer>();
}

template <class Integer>
Integer integer(const Json& json, const char* key, Integer least = std::numeric_limits<Integer>::min()) {
  return as_integer<Integer>(json.at(key), key, least);
}

}  // namespace regatta::results
