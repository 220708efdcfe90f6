// Errors about a sweep: "FILE:LINE: /json/pointer: found X, expected Y; did you mean Z?".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Where a value stands. Line 0: it stands in no file.
struct Place {
  std::string file;
  std::uint32_t line = 0;
  std::string pointer;
};

/// What was wrong there: `expected` may end in a reason in brackets.
struct Problem {
  std::string found;
  std::string expected;
  std::string suggestion;  ///< empty if there is none
};

/// Throws InputError.
[[noreturn]] void refuse(const Place& place, const Problem& problem);

/// The place of `pointer` in the text that the sweep was read from.
Place place_in(const Sweep& sweep, const std::string& pointer);

/// {"a", "b", "c"} -> "\"a\", \"b\" or \"c\"".
std::string one_of(const std::vector<std::string>& names);

}  // namespace regatta::sweep
