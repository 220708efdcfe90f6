#include "measure/comparisons.hpp"

#include <gtest/gtest.h>

#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

/// Squares of two or more arms, in fresh processes each.
void take_squares(BlockRun& run, std::uint16_t squares) {
  for (std::uint16_t square = 0; square < squares; ++square) {
    for_each_living(run, [&](Arm& arm) { renew_arm(run, arm); });
    for_each_living(run, [&](Arm& arm) { take_slice(run, arm, Phase::first, {.steps = 1}); });
    for (std::size_t round = 0; round < run.arms.size(); ++round) {
      for (std::size_t i = 0; i < run.arms.size(); ++i)
        take_slice(run, run.arms[(round + i) % run.arms.size()], Phase::steady, {.steps = 10}, square);
    }
  }
}

TEST(Comparisons, StayOpenUntilTheirVerdictIsClear) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}, {}});
  port.noise = [](const SimulatedSlice& slice) { return slice.arm == 2 ? undecidable(slice) : Disturbed(); };
  const auto task = comparison(3, 10);
  BlockRun run(port, task);
  take_squares(run, 6);
  EXPECT_EQ(still_open(run, {0, 1, 2}), (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_EQ(undecided_comparisons(run), 2);
  take_squares(run, 8);
  EXPECT_EQ(still_open(run, {0, 1, 2}), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(undecided_comparisons(run), 1);
}

// Evidence after seven squares on one side: e = 26.8; it about doubles with each further one (50, 95, 180).
TEST(Comparisons, OfASweepOfManyNeedEvidenceToSpare) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}});
  auto task = comparison(2, 10);
  task.contrasts = 2;
  BlockRun run(port, task);
  take_squares(run, 7);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 2U) << "the only difference of two contrasts needs 40";
  EXPECT_EQ(undecided_comparisons(run), 0) << "there is a verdict all the same";
  take_squares(run, 8);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 1U);
}

TEST(Comparisons, NeedLessEvidenceForEachDifferenceThatIsFound) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}, {.step_seconds = 1.3e-4}});
  auto task = comparison(3, 10);
  task.contrasts = 9;
  task.families = {{0, 2}, {1, 7}};
  BlockRun run(port, task);
  take_squares(run, 9);
  EXPECT_EQ(still_open(run, {0, 1, 2}).size(), 3U) << "the first of nine needs 180";
  run.discoveries.add(BlockIndex{7}, {0, 2});
  EXPECT_EQ(still_open(run, {0, 1, 2}), (std::vector<std::size_t>{0, 2}))
      << "the second 90, but the first of seven of its family 140";
  EXPECT_EQ(run.discoveries.all(), 2U);
  EXPECT_EQ(run.discoveries.of({0, 2}), 2U);
  EXPECT_EQ(run.discoveries.of({1, 7}), 0U);
}

TEST(Comparisons, OfManyCellsNeedEvidenceForAllThatTheFastestIsToldFrom) {
  SimulatedArms port({{}, {.step_seconds = 1.3e-4}});
  auto task = comparison(2, 10);
  task.exclusions = 6;
  BlockRun run(port, task);
  take_squares(run, 9);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 2U) << "nine squares say e = 95, and each of 6 exclusions asks for 120";
  task.exclusions = 3;
  EXPECT_EQ(still_open(run, {0, 1}).size(), 1U);
}

TEST(Comparisons, AreJudgedByTheFloorOfIdenticalCode) {
  SimulatedArms port({{}, {.step_seconds = 1.03e-4}});
  auto task = comparison(2, 10);
  BlockRun quiet(port, task);
  take_squares(quiet, 9);
  EXPECT_EQ(still_open(quiet, {0, 1}).size(), 1U);
  task.floor = 0.03;
  BlockRun noisy(port, task);
  take_squares(noisy, 9);
  EXPECT_EQ(undecided_comparisons(noisy), 1) << "3 % is what identical code shows here";
}

TEST(Comparisons, CountTheWorkOfAStep) {
  SimulatedArms port({{}, {.step_seconds = 2e-4}});
  auto task = comparison(2, 10);
  task.arms[0].work_per_step = 32;
  task.arms[1].work_per_step = 64;
  BlockRun run(port, task);
  take_squares(run, 9);
  EXPECT_EQ(still_open(run, {0, 1}).size(), 1U) << "the same time per sample";
}

TEST(Comparisons, LeaveTheCloneOut) {
  SimulatedArms port({{}, {}, {}});
  port.noise = undecidable;
  auto task = comparison(3, 10);
  task.has_clone = true;
  BlockRun run(port, task);
  take_squares(run, 8);
  EXPECT_EQ(undecided_comparisons(run), 1);
}

}  // namespace
}  // namespace regatta::measure
