// T1 of the loop itself: what agents run decides as the replay does, and keeps the same bars.
#include <gtest/gtest.h>

#include <ostream>

#include "measuring/replay_cell.hpp"
#include "measuring/shipped_contrast.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measuring {
namespace {

/// The loop asks for evidence to spare (R12); all else is as in the replays.
constexpr Method as_shipped = {.least_evidence = 1 / stats::rules::alpha};

struct NamedCell {
  const char* name;
  const char* noise;
  double effect;
};

void PrintTo(const NamedCell& cell, std::ostream* out) { *out << cell.name; }  // tests are named by it

class ShippedLoop : public testing::TestWithParam<NamedCell> {
 protected:
  const std::size_t runs = replay_runs(1000);
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

}  // namespace
}  // namespace regatta::measuring
