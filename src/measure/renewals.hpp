// When the processes of a comparison give way to fresh ones (measuring.md, R4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "measure/slice_lengths.hpp"
#include "regatta/measure/block_run.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measure {

inline constexpr std::int64_t squares_to_verdict = stats::rules::fewest_units;

/// The first pairs of processes serve so few squares that the earliest verdict rests on some of them and a small
/// difference on enough, whatever a start costs; later ones so many that starting takes no more time than measuring.
struct Renewals {
  std::int64_t pairs = 1;
  std::int64_t served = 0;  ///< squares, by the present pair

  /// `squares_each`: as many squares as take the time of a start.
  [[nodiscard]] bool due(std::int64_t squares_each, std::int64_t expected_squares) const;
};

/// As many squares as take the time that the processes of `turn` take to start: those that have left cost nothing.
std::int64_t squares_per_process(const BlockRun& run, const std::vector<std::size_t>& turn, double square_seconds);

/// Before a square that is not the first.
void renew_if_due(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn,
                  double square_seconds, std::int64_t expected_squares, Renewals& renewals);

}  // namespace regatta::measure
