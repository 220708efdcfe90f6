// When an arm has reached its speed: change points of a pilot's slice means (measuring.md R7; classes after Barrett et
// al., "Virtual machine warmup blows hot and cold", OOPSLA 2017). Decided on a pilot, frozen before the first scored
// slice: choosing the prefix on scored data would choose the verdict.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace regatta::stats {

/// The last two hold only "over the time measured".
enum class SteadyState : std::uint8_t { flat, warm_up, slow_down, none };

struct WarmUp {
  SteadyState state = SteadyState::flat;
  std::size_t prefix = 0;  ///< slices to leave out; at most half, and 0 without a steady state
  double change = 0;       ///< log of the first level over the last: above 0 it became faster
};

/// Where the level of a series changes: the first index of every segment but the first. Least squares with a penalty of
/// 3 spread^2 log n for each change, segments of at least 3, exact (optimal partitioning), O(n^2).
std::vector<std::size_t> change_points(std::span<const double> series);

/// The prefix is the shortest one after which no level differs from the last by more than `delta` (log).
/// `slice_seconds`: mean step time of each pilot slice in order, above 0. Single slow slices are no change.
WarmUp classify_warm_up(std::span<const double> slice_seconds, double delta);

/// How many steps a fresh process runs before it is timed, and how long one takes.
struct FreshStart {
  std::int64_t steps = 0;
  double step_seconds = 0;
};

/// Steps that each arm runs before it is timed: the longest warm-up of all arms that this arm can run in `seconds`, and
/// never less than its own. Compared arms then begin at the same step of training where they can. A step's time may
/// depend on what was learned, and a pilot may find a change in one of two arms with the same code.
std::vector<std::int64_t> shared_warm_ups(std::span<const FreshStart> arms, double seconds);

}  // namespace regatta::stats
