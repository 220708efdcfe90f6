// What a program tells of its run: JSON lines, as {"residual": 1e-6} or {"residual": {"value": 1e-6, "unit": "K"}}.
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "regatta/sweep/program_results.hpp"

namespace regatta::launcher {

/// By name, whatever that is; the last one wins.
using ToldNumbers = std::map<std::string, sweep::ToldNumber>;

/// Takes in the numbers of all lines that are JSON objects. NaN, Infinity and what C prints for them (nan, -inf) are
/// numbers here.
void take_lines(ToldNumbers& told, std::string_view output);

}  // namespace regatta::launcher
