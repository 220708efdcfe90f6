// R12 on simulated sweeps: what share of the real differences is found, and how many of the found ones are false.
#include "measuring/replay_sweep.hpp"

#include <gtest/gtest.h>

#include "measuring/replay_cell.hpp"

namespace regatta::measuring {
namespace {

const double at_margin = std::log(1.01);

// bench_many_contrasts prints the same for 10^4.
TEST(ReplaySweep, FindsTheOneInAHundred) {
  const KnownSweep sweep = one_percent_real(1000, 5, 0);
  const Noise quiet = calibrated(noise("process N(0, 0.5 %)"), quiet_spread, {}, 1);
  const auto outcomes = take_sweep(sweep, quiet, StopsAt::its_rank, replay_seed());
  const Discovered found = discovered(sweep, outcomes, Control::both);
  EXPECT_EQ(found.real, 10U);
  EXPECT_EQ(found.found, 10U);
  EXPECT_EQ(found.doubtful, 0U);
  EXPECT_EQ(found.false_found, 0U);
}

TEST(ReplaySweep, LeavesNoSettledDifferenceInDoubt) {
  const KnownSweep sweep = one_percent_real(1000, 5, at_margin);
  const Noise busy = calibrated(noise("recorded"), quiet_spread, {}, 1);
  const auto outcomes = take_sweep(sweep, busy, StopsAt::its_rank, replay_seed());
  const Discovered found = discovered(sweep, outcomes, Control::both);
  for (const Outcome& outcome : outcomes) EXPECT_LE(outcome.squares, Method{}.most_squares);
  EXPECT_LE(found.false_share, 0.05);
  EXPECT_LE(found.worst_false_share, 0.05);
}

}  // namespace
}  // namespace regatta::measuring
