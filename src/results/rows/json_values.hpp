// JSON as this project's records hold it.
#pragma once

#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace regatta::results {

using Json = nlohmann::ordered_json;

/// Messages of foreign programs may hold any bytes; what is not UTF-8 is replaced, not refused.
inline std::string text_of(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// JSON has no NaN: null stands for it.
inline double number(const Json& json, const char* key) {
  const Json& value = json.at(key);
  return value.is_null() ? std::numeric_limits<double>::quiet_NaN() : value.get<double>();
}

}  // namespace regatta::results
