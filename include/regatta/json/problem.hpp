// Errors about a file: "FILE:LINE: /json/pointer: found X, expected Y; did you mean Z?".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace regatta::json {

/// Where a value stands. Line 0: it stands in no file.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::string pointer;
};

/// The problem at a place: `expected` may end in a reason in brackets.
struct Problem {
  std::string found;
  std::string expected;
  std::string suggestion;  ///< empty if there is none
};

/// Throws InputError.
[[noreturn]] void refuse(const Place& place, const Problem& problem);

/// {"a", "b", "c"} -> "\"a\", \"b\" or \"c\"".
std::string one_of(const std::vector<std::string>& names);

/// The same of many names: the three nearest to `word`, and how many more there are. `regatta schema` lists all.
std::string one_of_nearest(std::string_view word, const std::vector<std::string>& names);

}  // namespace regatta::json
