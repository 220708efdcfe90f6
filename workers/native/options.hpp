// Options of a command line, by name.
#pragma once

#include <charconv>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "regatta/base/error.hpp"
#include "regatta/base/units.hpp"

namespace regatta::worker {

using Options = std::map<std::string_view, std::string_view>;

inline std::optional<std::string_view> option(const Options& options, std::string_view name) {
  const auto found = options.find(name);
  return found == options.end() ? std::nullopt : std::optional(found->second);
}

/// The number that is the whole text; nothing if it is none.
template <class Number>
std::optional<Number> number_in(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

/// --memory; nothing if it is not given. Throws InputError with an example of one.
inline std::optional<std::uint64_t> memory_of(const Options& options, const std::string& example) {
  const auto text = option(options, "--memory");
  if (!text) return std::nullopt;
  const auto bytes = parse_size(*text);
  if (!bytes) throw InputError("--memory needs a size such as " + example);
  return bytes;
}

}  // namespace regatta::worker
