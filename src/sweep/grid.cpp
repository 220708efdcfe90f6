#include "sweep/grid.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "sweep/problem.hpp"

namespace regatta::sweep {
namespace {

void refuse_too_many_points(const Sweep& sweep) {
  std::uint64_t points = static_cast<std::uint64_t>(sweep.repeats);
  bool too_many = points > max_points;
  for (const Axis& axis : sweep.axes) {
    if (too_many) break;
    too_many = axis.levels.size() > max_points / points;
    points *= axis.levels.size();
  }
  if (!too_many) return;
  refuse(place_in(sweep, "/axes"),
         {fmt::format("more than {} points (levels of all axes and repeats, multiplied)", max_points),
          "at most that many", ""});
}

}  // namespace

std::optional<std::size_t> Grid::axis_of(Param param) const {
  const auto found = std::find_if(axes.begin(), axes.end(), [&](const Axis& axis) { return axis.param == param; });
  if (found == axes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axes.begin());
}

Grid make_grid(const Sweep& sweep) {
  refuse_too_many_points(sweep);
  Grid grid;
  if (sweep.repeats > 1) {
    Axis repeat{Param::repeat, {}};
    for (std::int64_t i = 0; i < sweep.repeats; ++i) repeat.levels.emplace_back(i);
    grid.axes.push_back(std::move(repeat));
  }
  grid.axes.insert(grid.axes.end(), sweep.axes.begin(), sweep.axes.end());
  grid.strides.resize(grid.axes.size());
  for (std::size_t i = grid.axes.size(); i-- > 0;) {
    grid.strides[i] = grid.points;
    grid.points *= grid.axes[i].levels.size();
  }
  return grid;
}

std::optional<std::size_t> level_of(const Axis& axis, const Value& value) {
  const auto found = std::find(axis.levels.begin(), axis.levels.end(), value);
  if (found == axis.levels.end()) return std::nullopt;
  return static_cast<std::size_t>(found - axis.levels.begin());
}

void advance(const Grid& grid, Digits& digits) {
  for (std::size_t i = digits.size(); i-- > 0;) {
    if (++digits[i] < grid.axes[i].levels.size()) return;
    digits[i] = 0;
  }
}

}  // namespace regatta::sweep
