// What a block tells while it is measured: where it stands, and how long it goes on. Quick blocks tell nothing.
#pragma once

#include <cstddef>
#include <span>

#include "measure/renewals.hpp"
#include "regatta/measure/block_run.hpp"

namespace regatta::measure {

/// Between two messages of a block, and before its first.
inline constexpr double news_interval_seconds = 2;

/// An arm was prepared or piloted.
void tell_beginning(BlockRun& run);

/// Where the squares of a block stand.
struct SquaresNow {
  const Renewals& renewals;
  std::size_t served = 0;             ///< arms of the last square
  std::span<const std::size_t> open;  ///< the arms that go on
  double square_seconds = 0;          ///< that the last square took
  double squares_left = 0;            ///< like it, that are planned or that the active time holds
};

/// A square is complete and another one follows, or fresh processes have started.
void tell_squares(BlockRun& run, const SquaresNow& now);

}  // namespace regatta::measure
