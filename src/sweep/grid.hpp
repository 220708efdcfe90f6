// The points of a sweep, numbered in order (the last axis fastest, repeats outermost) without storing them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

inline constexpr std::uint64_t max_points = 10'000'000;

/// Position of a level in each axis of a grid.
using Digits = std::vector<std::size_t>;

struct Grid {
  std::vector<Axis> axes;              ///< of the sweep, after `repeat` if it repeats
  std::vector<std::uint64_t> strides;  ///< points between neighbouring levels of an axis
  std::uint64_t points = 1;

  [[nodiscard]] std::optional<std::size_t> axis_of(Param param) const;
};

/// Throws InputError beyond max_points, counted before anything is stored.
Grid make_grid(const Sweep& sweep);

/// Position of `value` among an axis' levels.
std::optional<std::size_t> level_of(const Axis& axis, const Value& value);

/// Goes to the next point; `digits` of the last one become those of the first.
void advance(const Grid& grid, Digits& digits);

}  // namespace regatta::sweep
