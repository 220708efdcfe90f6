// How long a block goes on, from what is known of it by now.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace regatta::measure {

/// The time that the processes of an arm took, once they were seen.
struct SeenArm {
  std::string_view engine;
  std::optional<double> seconds = std::nullopt;
};

/// The same for all: an arm that was not seen takes what arms of its engine took, or else all that were; 0 where none
/// was seen.
std::vector<double> filled(std::span<const SeenArm> arms);

/// The squares of a block, those that are done and those that its time holds.
struct SquaresToGo {
  double before_seconds = 0;  ///< until the next square begins
  double square_seconds = 0;
  double start_seconds = 0;                                     ///< for the processes of another pair to start
  std::optional<double> reckoned_start_seconds = std::nullopt;  ///< the loop takes the next start to be so long
  std::int64_t squares_each = 1;
  std::int64_t pairs = 1;   ///< pairs that have begun
  std::int64_t served = 0;  ///< squares, by the last of them
  std::int64_t squares = 0;
  double squares_left = 0;  ///< squares that are planned or that the active time of the comparisons holds
  bool pays_starts =
      false;  ///< from enough pairs on, starts that take longer than the pair is measured take active time
  double wall_seconds = std::numeric_limits<double>::infinity();  ///< time left of its share of the sweep's time
};

struct Forecast {
  std::int64_t pairs = 1;  ///< in the end
  double seconds = 0;      ///< from now on
};

/// By the rules of the loop, as if no comparison that is open were decided before its time is spent. No pair begins
/// that the wall time does not hold; the one that runs is begun.
Forecast forecast(const SquaresToGo& squares);

}  // namespace regatta::measure
