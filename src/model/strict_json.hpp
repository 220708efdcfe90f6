// JSON from outside: duplicate keys and deep nesting are errors, not surprises.
#pragma once

#include <fmt/format.h>

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/base/error.hpp"

namespace regatta::model {

using Json = nlohmann::ordered_json;

inline constexpr int max_json_depth = 64;

/// Parses `text`. Throws InputError with what was found instead: where it is malformed, the key that stands twice, ...
inline Json parse_strictly(std::string_view text) {
  std::vector<std::set<std::string>> open_objects;
  const auto check = [&](int depth, Json::parse_event_t event, Json& parsed) {
    using Event = Json::parse_event_t;
    if (depth > max_json_depth)
      throw InputError(fmt::format("JSON that is nested deeper than {} levels", max_json_depth));
    if (event == Event::object_start) open_objects.emplace_back();
    if (event == Event::object_end) open_objects.pop_back();
    if (event == Event::key && !open_objects.back().insert(parsed.get<std::string>()).second) {
      throw InputError(fmt::format("key \"{}\" stands twice in one object", parsed.get<std::string>()));
    }
    return true;
  };
  try {
    return Json::parse(text, check);
  } catch (const nlohmann::json::parse_error& error) {
    throw InputError(fmt::format("JSON that is malformed at byte {}", error.byte));
  } catch (const nlohmann::json::exception&) {
    throw InputError("a number that no double holds");
  }
}

}  // namespace regatta::model
