#include <fmt/format.h>

#include <algorithm>

#include "regatta/sweep/reader.hpp"
#include "sweep/read/read.hpp"

namespace regatta::sweep {
namespace {

bool has(const std::vector<Value>& levels, const Value& value) {
  return std::ranges::find(levels, value) != levels.end();
}

/// visit(axis) for every axis of the sweep, in file order.
template <class Visit>
void each_axis(const Sweep& sweep, const Visit& visit) {
  for (const Axis& axis : sweep.axes) visit(axis);
  for (const When& when : sweep.whens) std::ranges::for_each(when.axes, visit);
  for (const auto& include : sweep.includes) std::ranges::for_each(include, visit);
}

}  // namespace

const Axis* find_axis(const Sweep& sweep, const Param& param) {
  const auto found = std::ranges::find(sweep.axes, param, &Axis::param);
  return found == sweep.axes.end() ? nullptr : &*found;
}

bool has_axis(const Sweep& sweep, const Param& param) {
  if (param == Param::repeat) return sweep.repeats > 1;
  const auto params = axis_params(sweep);
  return std::ranges::find(params, param) != params.end();
}

bool has_level(const Sweep& sweep, const Param& param, const Value& value) {
  if (param == Param::repeat) {
    const auto* number = std::get_if<std::int64_t>(&value);
    return number != nullptr && *number >= 0 && *number < sweep.repeats;
  }
  if (find_axis(sweep, param) == nullptr && value == info(param).fallback) return true;  // where no `when` gives one
  bool found = false;
  each_axis(sweep, [&](const Axis& axis) {
    found = found || (axis.param == param && (has(axis.levels, value) || has(axis.choice, value)));
  });
  return found;
}

std::vector<Param> axis_params(const Sweep& sweep) {
  std::vector<Param> params;
  each_axis(sweep, [&](const Axis& axis) {
    if (std::ranges::find(params, axis.param) == params.end()) params.push_back(axis.param);
  });
  return params;
}

std::vector<std::string> axis_names(const Sweep& sweep) {
  std::vector<std::string> names;
  if (sweep.repeats > 1) names.emplace_back(name_of(Param::repeat));
  for (const Param& param : axis_params(sweep)) names.emplace_back(name_of(param));
  return names;
}

std::optional<std::string> why_taken_away(const Sweep& sweep, const Param& param, const Value& value) {
  for (const LeftOut& left : sweep.left_out) {
    if (left.param == param && left.level == value)
      return fmt::format("{} is left out: {}", to_text(value), left.reason.empty() ? "it was not found" : left.reason);
  }
  for (const auto& [limited, levels] : sweep.only) {
    if (limited == param && !has(levels, value)) return fmt::format("--only {} leaves it out", name_of(param));
  }
  return std::nullopt;
}

}  // namespace regatta::sweep
