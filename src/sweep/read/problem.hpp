// Where in a sweep's file something stands.
#pragma once

#include <string>

#include "regatta/json/problem.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// The place of `pointer` in the text that the sweep was read from.
json::Place place_in(const Sweep& sweep, const std::string& pointer);

}  // namespace regatta::sweep
