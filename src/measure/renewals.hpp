// When the processes of a comparison give way to fresh ones (measuring.md, R4).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "measure/slice_lengths.hpp"
#include "regatta/measure/block_run.hpp"
#include "regatta/stats/process_pairs.hpp"

namespace regatta::measure {

struct Renewals {
  std::int64_t squares_each = 1;  ///< squares that every pair serves
  std::int64_t pairs = 1;
  std::int64_t served = 0;       ///< squares, by the present pair
  double start_seconds = 0;      ///< time that a pair takes to start
  double import_seconds = 0;     ///< the part of it that the blocks of a tour share; 0 where there is one
  double sharers = 1;            ///< number of these blocks
  double paid_seconds = 0;       ///< part of the comparison's time that went to starts
  bool is_side_by_side = false;  ///< whether the processes of later pairs begin at the same time

  /// The present pair has served: it counts, and another one may begin.
  [[nodiscard]] bool is_closed() const { return served >= squares_each; }
};

/// Before the first scored square; `affordable_squares`: that the time of the comparison holds.
Renewals planned_renewals(const BlockRun& run, const SliceLengths& lengths, double affordable_squares);

/// The price of another pair's start, in seconds of the comparison's time. It is 0 until there are enough pairs. Then
/// it is the excess of the start over the pair's measuring time, so that starting never takes more time than measuring.
double price_of_start(const Renewals& renewals, double square_seconds);

/// Whether the block's wall time is not over and, once a pair is closed, holds the whole next one.
bool has_wall_time(const BlockRun& run, const Renewals& renewals, double longest_square_seconds);

/// The next pair for the living arms of `turn`: in fresh processes, or in those that started in its tour.
void renew_processes(BlockRun& run, const SliceLengths& lengths, const std::vector<std::size_t>& turn,
                     double square_seconds, Renewals& renewals);

}  // namespace regatta::measure
