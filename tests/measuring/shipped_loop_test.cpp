// T1 of the loop itself: what agents run decides as the replay does, and keeps the same bars.
#include <gtest/gtest.h>

#include <ostream>

#include "measuring/replay_cell.hpp"
#include "measuring/shipped_contrast.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measuring {
namespace {

/// The loop asks for evidence to spare (R12); all else is as in the replays.
constexpr Method as_shipped = {.squares_per_process = shipped_squares_each,
                               .most_squares = shipped_squares,
                               .least_evidence = 1 / stats::rules::alpha};

struct NamedCell {
  const char* name;
  const char* noise;
  double effect;
};

void PrintTo(const NamedCell& cell, std::ostream* out) { *out << cell.name; }  // tests are named by it

class ShippedLoop : public testing::TestWithParam<NamedCell> {
 protected:
  const std::size_t runs = replay_runs(300);
  const std::uint64_t seed = replay_seed();
  const Noise calm = calibrated(noise(GetParam().noise), quiet_spread, {}, seed);
};

TEST_P(ShippedLoop, DecidesAsTheReplayDoesAndKeepsItsBars) {
  std::size_t apart = 0;
  print_header(runs, seed);
  const Cell cell = run_cell(calm, GetParam().effect, as_shipped, runs, seed, [&](double effect, std::uint64_t each) {
    const Outcome loop = shipped(calm, effect, each);
    const Outcome replayed = replay(calm, effect, as_shipped, each);
    apart += loop.squares != replayed.squares || loop.verdict != replayed.verdict ? 1 : 0;
    return loop;
  });
  print(cell);
  EXPECT_EQ(apart, 0U) << "contrasts that stop after other squares than the replay, or with another verdict";
  for (const std::string& missed : broken_bars(cell)) ADD_FAILURE() << "the loop misses a bar: " << missed;
}

INSTANTIATE_TEST_SUITE_P(Noise, ShippedLoop,
                         testing::Values(NamedCell{"FirstIsSlower", "first is slower", 0},
                                         NamedCell{"DriftAtTheLimit", "drift", 1}, NamedCell{"Iid", "iid", 0.5},
                                         NamedCell{"ThrottledArm", "a throttles itself", 0}),
                         [](const auto& tested) { return tested.param.name; });

// R12: the loop asks of each difference what the control of false discoveries will ask of it.
TEST(ShippedSweep, LeavesNothingInDoubt) {
  for (const KnownSweep& sweep : {one_percent_real(400, 2, 0), one_pair_real(200, 0)}) {
    const Noise calm = calibrated(noise("process N(0, 0.5 %)"), quiet_spread, {}, replay_seed());
    const auto loop = shipped_sweep(sweep, calm, replay_seed());
    const Discovered found = discovered(sweep, loop, Control::both);
    EXPECT_EQ(found.doubtful, 0U) << "the loop misses a bar: differences in doubt: "
                                  << 100 * found.doubtful / found.real << " %";
    EXPECT_EQ(found.false_found, 0U) << sweep.name;
  }
}

}  // namespace
}  // namespace regatta::measuring
