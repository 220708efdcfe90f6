// A JSON value together with its pointer, so that every error names its place, what was found and what was expected.
#pragma once

#include <fmt/ranges.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "model/strict_json.hpp"
#include "regatta/base/suggestion.hpp"

namespace regatta::model {

/// The value as it appears in an error: scalars as they stand (shortened), "a list", "an object".
inline std::string describe(const Json& value) {
  if (value.is_array()) return "a list";
  if (value.is_object()) return "an object";
  const std::string text = value.dump(-1, ' ', true, Json::error_handler_t::replace);
  constexpr std::size_t longest = 60;
  return text.size() <= longest ? text : text.substr(0, longest) + "...";
}

inline std::string one_of(const std::vector<std::string>& names) {
  return names.size() == 1 ? fmt::format("\"{}\"", names.front())
                           : fmt::format("one of \"{}\"", fmt::join(names, "\", \""));
}

/// A key as a step of a JSON pointer (RFC 6901, section 3), without control characters.
inline std::string escaped(const std::string& key) {
  const std::string quoted = describe(Json(key));
  std::string step;
  for (const char c : std::string_view(quoted).substr(1, quoted.size() - 2)) {
    if (c == '~') step += "~0";
    if (c == '/') step += "~1";
    if (c != '~' && c != '/') step += c;
  }
  return step;
}

struct JsonCursor {
  const Json& value;
  std::string pointer;

  [[noreturn]] void fail(std::string_view found, std::string_view expected, const std::string& suggestion = {}) const {
    const std::string hint = suggestion.empty() ? "" : fmt::format("; did you mean \"{}\"?", suggestion);
    throw InputError(fmt::format("{}: found {}, expected {}{}", pointer, found, expected, hint));
  }
  [[noreturn]] void fail_value(std::string_view expected) const { fail(describe(value), expected); }

  /// The member or element below this one; `key` is a name of ours, which needs no escaping.
  [[nodiscard]] JsonCursor at(const std::string& key) const { return {value.at(key), pointer + "/" + key}; }
  [[nodiscard]] JsonCursor at(std::size_t index) const {
    return {value.at(index), fmt::format("{}/{}", pointer, index)};
  }

  [[nodiscard]] std::int64_t whole(std::uint64_t low, std::uint64_t high) const {
    if (value.is_number_unsigned()) {
      const auto number = value.get<std::uint64_t>();
      if (number >= low && number <= high) return static_cast<std::int64_t>(number);
    }
    fail_value(fmt::format("a whole number from {} to {}", low, high));
  }

  /// A number of [low, high), or of (low, high) if `open`.
  [[nodiscard]] double number(double low, double high, bool open, std::string_view expected) const {
    if (value.is_number()) {
      const auto number = value.get<double>();
      if ((open ? number > low : number >= low) && number < high) return number;
    }
    fail_value(expected);
  }

  [[nodiscard]] bool boolean() const {
    if (value.is_boolean()) return value.get<bool>();
    fail_value("true or false");
  }

  [[nodiscard]] std::string text() const {
    if (value.is_string() && !value.get_ref<const std::string&>().empty()) return value.get<std::string>();
    fail_value("a text of at least one character");
  }

  /// The index in `names` of this text.
  [[nodiscard]] std::size_t choice(const std::vector<std::string>& names) const {
    const std::string word = value.is_string() ? value.get<std::string>() : std::string();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (value.is_string() && names[i] == word) return i;
    }
    fail(describe(value), one_of(names), nearest_name(word, names));
  }
};

/// An object with no other keys than `known`; need() and get() may only ask for these.
class JsonObject {
 public:
  JsonObject(JsonCursor cursor, const std::vector<std::string>& known) : cursor_(std::move(cursor)) {
    if (!cursor_.value.is_object()) cursor_.fail_value("an object");
    for (const auto& [key, value] : cursor_.value.items()) {
      if (std::find(known.begin(), known.end(), key) != known.end()) continue;
      const JsonCursor member{value, cursor_.pointer + "/" + escaped(key)};
      member.fail("an unknown key", one_of(known), nearest_name(key, known));
    }
  }

  [[nodiscard]] bool has(const std::string& key) const { return cursor_.value.contains(key); }

  [[nodiscard]] JsonCursor need(const std::string& key) const {
    if (cursor_.value.contains(key)) return cursor_.at(key);
    cursor_.fail("an object without it", fmt::format("the key \"{}\"", key));
  }

  /// read(member) if it is there, else `otherwise`.
  template <class T, class Read>
  [[nodiscard]] T get(const std::string& key, T otherwise, Read read) const {
    return cursor_.value.contains(key) ? static_cast<T>(read(cursor_.at(key))) : otherwise;
  }

 private:
  JsonCursor cursor_;
};

}  // namespace regatta::model
