// What a sweep's axes, `when` and `include` together say of a parameter.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// The axis of this parameter among those of all points, or null.
const Axis* find_axis(const Sweep& sweep, const Param& param);

/// Whether some axis gives the parameter its level, at all points or at some; `repeat` has one if there are several.
bool has_axis(const Sweep& sweep, const Param& param);

/// Whether the parameter has this level at a point of the sweep, leaving exclusions aside.
bool has_level(const Sweep& sweep, const Param& param, const Value& value);

/// The names of all parameters that have an axis, `repeat` first.
std::vector<std::string> axis_names(const Sweep& sweep);

/// The level that --only or its absence here takes away, if it is one: why.
std::optional<std::string> why_taken_away(const Sweep& sweep, const Param& param, const Value& value);

}  // namespace regatta::sweep
