// The values that a parameter may take in a sweep.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "sweep/read/read.hpp"

namespace regatta::sweep {

/// The problem with `value` as a level of `param`, or nothing. Models, commands and environments are looked up in
/// `sweep`, so these are read first. A problem's `found` is empty: the caller knows how the value was written.
std::optional<json::Problem> level_problem(const Sweep& sweep, const Param& param, const Value& value);

/// The problem with a level as it is `written` that would reach programs as another number: a whole one of more digits
/// than a double has, among real ones. Nothing for others.
std::optional<json::Problem> digits_problem(const Param& param, std::string_view written);

/// "25MiB" as so many bytes where the parameter counts bytes; any other value as it is.
Value level_of_size(const Param& param, Value value);

/// Why the parameter can be no axis of a sweep of this task, or nothing.
std::optional<json::Problem> task_problem(const Sweep& sweep, const ParamInfo& row);

/// The parameter of this name, or the sweep's own axis. Throws InputError at `place` for an unknown one.
Param need_param(const json::Place& place, std::string_view name, const Sweep& sweep);

/// The parameter of an axis; one of the sweep's own has levels of the kind that `own_kind` finds. Throws InputError at
/// `place` for an unknown name, and for `repeat`, which "repeats" makes.
Param need_axis_param(const json::Place& place, std::string_view name, const Sweep& sweep,
                      const std::function<Param::OwnKind()>& own_kind);

/// The names of all parameters.
std::vector<std::string> param_names();

/// The same, and those of the sweep's own axes.
std::vector<std::string> param_names(const Sweep& sweep);

/// The position of the first level that stands twice, if any.
std::optional<std::size_t> first_repeated(const std::vector<Value>& levels);

}  // namespace regatta::sweep
