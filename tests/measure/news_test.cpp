#include <gtest/gtest.h>

#include <algorithm>
#include <utility>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_block.hpp"

namespace regatta::measure {
namespace {

/// Seconds that the block took.
double run_it(SimulatedArms& port, const sweep::BlockTask& task) {
  BlockBudget budget;
  run_block(port, task, budget);
  return port.now();
}

/// Nothing is decided, and squares of one pair are alike.
struct Undecided : SimulatedArms {
  explicit Undecided(std::vector<SimulatedArm> simulated) : SimulatedArms(std::move(simulated)) {
    noise = undecidable;
    whole_slices = true;
  }
};

sweep::BlockTask slow_comparison(std::size_t arms, double seconds, double wall_seconds) {
  sweep::BlockTask task = comparison(arms, seconds);
  task.wall_seconds = wall_seconds;
  return task;
}

/// The first that was told after so much of the whole time.
const Told& told_after(const SimulatedArms& port, double seconds) {
  return *std::ranges::find_if(port.told, [&](const Told& told) { return told.seconds >= seconds; });
}

double foretold(const Told& told) { return told.seconds + told.stand.left_seconds; }

TEST(News, OfQuickBlocksAreNone) {
  SimulatedArms alone(std::vector<SimulatedArm>(1));
  sweep::BlockTask noop = comparison(1, 5);
  noop.has_baseline = false;
  noop.measure.slices = 50;
  noop.measure.steps = 1;
  run_it(alone, noop);
  EXPECT_TRUE(alone.told.empty());
  Undecided two({{}, {}});
  ASSERT_LT(run_it(two, comparison(2, 0.5)), news_interval_seconds);
  EXPECT_TRUE(two.told.empty());
}

TEST(News, ComeOnceInTwoSecondsAtMost) {
  Undecided port({{}, {}});  // some 60 squares a second
  const double whole = run_it(port, comparison(2, 20));
  EXPECT_LE(static_cast<double>(port.told.size()), whole / news_interval_seconds);
  EXPECT_GE(static_cast<double>(port.told.size()), 0.8 * whole / news_interval_seconds) << "and not much less often";
}

TEST(News, TellArmsThenPairsAndSquares) {
  Undecided port({{.start_seconds = 3}, {.start_seconds = 3}, {.start_seconds = 3}});
  run_it(port, slow_comparison(3, 4, 60));
  ASSERT_GE(port.told.size(), 4U);
  EXPECT_EQ(port.told[0].stand.arms, 3U);
  EXPECT_EQ(port.told[0].stand.prepared, 1U);
  EXPECT_EQ(port.told[1].stand.prepared, 2U);
  EXPECT_EQ(port.told[1].stand.pair, 0);
  const protocol::BlockStand& last = port.told.back().stand;
  EXPECT_GT(last.pair, 1);
  EXPECT_GE(last.pairs, last.pair);
  EXPECT_GE(last.squares, last.pair - 1);
  EXPECT_TRUE(std::ranges::any_of(port.told, [](const Told& told) { return told.stand.starts; }));
}

TEST(News, ForetellABlockThatMostlyStartsProcesses) {
  Undecided port({{.start_seconds = 2.3}, {.start_seconds = 2.5}, {.start_seconds = 1.5}});
  const double whole = run_it(port, slow_comparison(3, 16, 200));
  ASSERT_GT(whole, 40);
  EXPECT_NEAR(foretold(told_after(port, 0.1 * whole)), whole, 0.25 * whole);
  EXPECT_NEAR(foretold(told_after(port, 0.5 * whole)), whole, 0.10 * whole);
}

TEST(News, ForetellABlockThatItsWallTimeEnds) {
  Undecided port({{.start_seconds = 2.3}, {.start_seconds = 2.5}, {.start_seconds = 1.5}});
  const double whole = run_it(port, slow_comparison(3, 60, 50));
  EXPECT_NEAR(foretold(told_after(port, 0.1 * whole)), whole, 0.25 * whole);
  EXPECT_NEAR(foretold(told_after(port, 0.5 * whole)), whole, 0.10 * whole);
  for (const Told& told : port.told) EXPECT_LE(foretold(told), 50 + 2) << "a square takes less than 2 s";
}

TEST(News, ForetellABlockWhoseProcessesBeginSideBySide) {
  Undecided port(std::vector<SimulatedArm>(5, {.start_seconds = 2.5}));
  port.places = 2;
  const double whole = run_it(port, slow_comparison(5, 20, 60));
  ASSERT_GT(port.count(Verb::begin, 1), 0U);
  EXPECT_NEAR(foretold(told_after(port, 0.1 * whole)), whole, 0.25 * whole);
  EXPECT_NEAR(foretold(told_after(port, 0.5 * whole)), whole, 0.10 * whole);
}

TEST(News, ForetellABlockOfOneArm) {
  SimulatedArms port(std::vector<SimulatedArm>{{.step_seconds = 0.5, .start_seconds = 3}});
  sweep::BlockTask task = comparison(1, 30);
  task.has_baseline = false;
  const double whole = run_it(port, task);
  ASSERT_GT(whole, 15);
  EXPECT_NEAR(foretold(told_after(port, 0.25 * whole)), whole, 0.15 * whole);
  EXPECT_EQ(port.told.back().stand.pairs, 1);
  EXPECT_FALSE(port.told.back().stand.starts) << "its process stays";
}

TEST(News, ForetellFixedSlices) {
  Undecided port({{.step_seconds = 0.05, .start_seconds = 1}, {.start_seconds = 1}});
  sweep::BlockTask task = slow_comparison(2, 5, 1);  // fixed slices are all measured
  task.measure.slices = 40;
  task.measure.steps = 10;
  const double whole = run_it(port, task);
  EXPECT_NEAR(foretold(told_after(port, 0.5 * whole)), whole, 0.15 * whole);
}

TEST(News, ForetellWhatGoesOnOnceTheRestIsDecided) {
  std::vector<SimulatedArm> arms = {{.start_seconds = 3}, {.start_seconds = 3}};
  arms.resize(6, {.step_seconds = 2e-4, .start_seconds = 3});  // clear after three pairs
  SimulatedArms port(arms);
  port.whole_slices = true;
  port.noise = [](const SimulatedSlice& slice) { return slice.arm == 1 ? undecidable(slice) : Disturbed(); };
  const double whole = run_it(port, slow_comparison(6, 12, 1000));
  const auto is_late = [](const Told& told) { return told.stand.squares >= 9; };
  const auto late = std::ranges::find_if(port.told, is_late);
  ASSERT_NE(late, port.told.end());
  EXPECT_NEAR(foretold(*late), whole, 0.10 * whole) << "two arms of six";
}

}  // namespace
}  // namespace regatta::measure
