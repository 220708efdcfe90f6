// Interleaved slices of a block's arms (measuring.md, 2): a comparison pair by pair, until it is decided or its time is
// spent; everything else as many rounds as planned.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

#include "measure/renewals.hpp"
#include "measure/slice_lengths.hpp"
#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// A comparison between two of its pairs of processes: what is planned of its squares, and where they stand.
struct Comparison {
  SliceLengths lengths;
  Renewals renewals;
  std::vector<std::size_t> turn;  ///< the arms that go on, the baseline first
  double budget_seconds = 0;      ///< active time that it may take
  double square_seconds = 0;      ///< active time that the last square took
  double longest_seconds = 0;     ///< longest time of a square
  std::size_t served = 0;         ///< arms of the last square
  bool is_over = false;           ///< all arms of it say why
};

/// After the pilots: plans a comparison, whose first pair is there. Where nothing is compared square by square, it
/// measures the planned rounds at once and returns nothing.
std::optional<Comparison> begin_measuring(BlockRun& run);

/// The squares of the pair that is there, and what they decide. A drain ends the comparison after a complete square,
/// its active time and the end of its wall time after one that just fits.
void serve_pair(BlockRun& run, Comparison& comparison);

/// Fresh processes for the arms that go on: the next pair.
void begin_pair(BlockRun& run, Comparison& comparison);

/// Wall time of the next pair: its squares, and what its processes take to begin. `with_start`: they start anew, and do
/// not find those of their tour.
double pair_seconds(const Comparison& comparison, bool with_start);

/// The comparison stops here, for this reason.
void stop(BlockRun& run, Comparison& comparison, sweep::WhyStopped why);

}  // namespace regatta::measure
