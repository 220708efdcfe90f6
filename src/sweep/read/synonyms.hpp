// What people write who know other programs, and what it is called here.
#pragma once

#include <string>
#include <string_view>

#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {

struct Synonym {
  std::string meant;  ///< a level of the parameter or the name of a parameter; empty: none
  std::string why;    ///< in brackets behind what is expected; may be empty
};

/// What a level is called here: "compile" of the axis mode.
Synonym meant_level(const Param& param, std::string_view written);

/// What an axis is called here: "lr".
Synonym meant_parameter(std::string_view written);

/// A hint for a text in the place of numbers: "32", "1..64", "1, 2, 4". "" if it is none of these.
std::string meant_numbers(std::string_view written);

}  // namespace regatta::sweep
