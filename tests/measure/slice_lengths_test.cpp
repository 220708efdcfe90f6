#include "measure/slice_lengths.hpp"

#include <gtest/gtest.h>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/stats/rules.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

constexpr double block_seconds = 60;

/// A block whose pilots are over.
BlockRun ready(SimulatedArms& port, const sweep::BlockTask& task) {
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) {
    prepare_arm(run, arm);
    arm.step_seconds = port.arms[arm.index.value].step_seconds;
  });
  return run;
}

TEST(PlannedLengths, MakeSlicesOfDifferentArmsTakeTheSameTime) {
  SimulatedArms port({{.step_seconds = 1e-4}, {.step_seconds = 1e-3}});
  const auto task = comparison(2, block_seconds);
  const SliceLengths lengths = planned_lengths(ready(port, task), block_seconds);
  EXPECT_NEAR(static_cast<double>(lengths.of(0).steps) * 1e-4, stats::rules::slice_seconds, 1e-3);
  EXPECT_NEAR(static_cast<double>(lengths.of(1).steps) * 1e-3, stats::rules::slice_seconds, 1e-3);
  EXPECT_GT(lengths.of(0).reentry_steps, 0);
}

TEST(PlannedLengths, KnowOnlyArmsThatLive) {
  SimulatedArms port({{}, {}, {.step_seconds = 1e-3}});
  auto task = comparison(3, block_seconds);
  task.dropped.push_back({{1}, sweep::FailureKind::crashed, "earlier"});
  const SliceLengths lengths = planned_lengths(ready(port, task), block_seconds);
  EXPECT_EQ(lengths.arms, (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(lengths.of(2).steps, 12);
}

TEST(PlannedLengths, LeaveASingleArmWithoutReentry) {
  SimulatedArms port(std::vector<SimulatedArm>{{}});
  const auto task = comparison(1, block_seconds);
  EXPECT_EQ(planned_lengths(ready(port, task), block_seconds).of(0).reentry_steps, 0);
}

TEST(SquareSeconds, CountWholeCalls) {
  SimulatedArms port({{.step_seconds = 5e-3}, {.step_seconds = 5e-3}});
  auto task = comparison(2, block_seconds);
  const auto seconds = [&] {
    const BlockRun run = ready(port, task);
    return square_seconds(run, planned_lengths(run, block_seconds));
  };
  const double of_single_steps = seconds();
  task.arms[1].parameters[sweep::Param::steps_per_call] = std::int64_t{64};
  // A call for the re-entry and one for the slice, in each of two rounds.
  EXPECT_NEAR(seconds(), of_single_steps / 2 + 2 * 2 * 64 * 5e-3, 1e-9);
}

TEST(PlannedLengths, ReckonWithAllThatAProgramTakesAndNotOnlyWithWhatItReports) {
  SimulatedArms port(
      {{.step_seconds = 5e-3, .unreported_seconds = 2}, {.step_seconds = 5e-3, .unreported_seconds = 2}});
  auto task = comparison(2, block_seconds);
  for (sweep::ArmTask& arm : task.arms) arm.command.emplace().name = "program";
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) {
    prepare_arm(run, arm);
    pilot(run, arm);
  });
  const SliceLengths lengths = planned_lengths(run, block_seconds);
  for (const std::size_t at : {0U, 1U}) {
    EXPECT_EQ(lengths.of(at).steps, 1);
    EXPECT_EQ(lengths.of(at).reentry_steps, 0);
  }
  EXPECT_NEAR(square_seconds(run, lengths), 4 * 2.005, 1e-3);
}

TEST(ScoredSlices, OfASlowProgramAreSingleRunsHoweverLittleOfThemItReports) {
  const SimulatedArm slow{.step_seconds = 5e-3, .unreported_seconds = 2};
  SimulatedArms port({slow, slow});
  sweep::BlockTask task = comparison(2, 60);
  for (sweep::ArmTask& arm : task.arms) arm.command.emplace().name = "program";
  BlockBudget budget;
  EXPECT_TRUE(std::holds_alternative<protocol::BlockResult>(run_block(port, task, budget)));
  for (const std::uint32_t at : {0U, 1U}) {
    EXPECT_TRUE(port.slices(at, Phase::warmup).empty()) << "unscored runs of two seconds tell nothing";
    const std::vector<Asked> slices = port.slices(at, Phase::steady);
    EXPECT_GE(slices.size(), 4U);
    for (const Asked& slice : slices) EXPECT_EQ(slice.length.steps, 1);
  }
}

TEST(ScoredSlices, OfAShortProgramAreReckonedByAllThatItTakes) {
  const SimulatedArm part{.step_seconds = 1e-6, .unreported_seconds = 1e-3};
  SimulatedArms port({part, part});
  sweep::BlockTask task = comparison(2, block_seconds);
  for (sweep::ArmTask& arm : task.arms) arm.command.emplace().name = "program";
  BlockBudget budget;
  EXPECT_TRUE(std::holds_alternative<protocol::BlockResult>(run_block(port, task, budget)));
  for (const Asked& slice : port.slices(0, Phase::steady)) EXPECT_LT(slice.length.steps, 1000);
}

/// Takes an arm through a whole block, its clone beside it, and returns the mean seconds of its scored slices by arm.
std::vector<double> scored_slice_seconds(const SimulatedArm& arm, double start_seconds) {
  std::vector<SimulatedArm> arms(3, arm);
  for (SimulatedArm& one : arms) one.start_seconds = start_seconds;
  arms[1].lazy_factor = 1;
  SimulatedArms port(arms);
  sweep::BlockTask task = comparison(3, block_seconds);
  task.has_clone = true;
  task.arms[1].parameters[sweep::Param::batch] = std::int64_t{2};  // another cell; the last one repeats the first
  BlockBudget budget;
  EXPECT_TRUE(std::holds_alternative<protocol::BlockResult>(run_block(port, task, budget)));
  std::vector<double> seconds;
  for (const std::uint32_t at : {0U, 1U, 2U}) {
    const std::vector<Asked> slices = port.slices(at, Phase::steady);
    double steps = 0;
    for (const Asked& slice : slices) steps += static_cast<double>(slice.length.steps);
    seconds.push_back(slices.empty() ? 0 : arm.step_seconds * steps / static_cast<double>(slices.size()));
    const std::size_t least = arm.step_seconds < 0.01 ? 3 * 5 : 3;
    EXPECT_GE(slices.size(), least) << "at least five squares fit into two seconds";
  }
  return seconds;
}

TEST(ScoredSlices, AreAsLongAsWantedWhateverTheFirstStepsInitialise) {
  for (const double step_seconds : {5e-6, 1e-3, 0.05, 1.0}) {
    const auto seconds = scored_slice_seconds({.step_seconds = step_seconds, .lazy_factor = 100}, 0.01);
    const double wanted = std::max(stats::rules::slice_seconds, step_seconds);
    for (const double of_arm : seconds) {
      EXPECT_GT(of_arm, wanted / 2) << step_seconds;
      EXPECT_LT(of_arm, wanted * 2) << step_seconds;
    }
    EXPECT_EQ(seconds[0], seconds[2]) << "a clone's slices are those of the arm that it repeats";
  }
}

TEST(ScoredSlices, OfLongStepsTakeSeveralWhereProcessesStartSlowly) {
  const auto seconds = scored_slice_seconds({.step_seconds = 0.05}, 4);
  for (const double of_arm : seconds) EXPECT_NEAR(of_arm, 0.25, 1e-9);
}

TEST(CorrectedLengths, FollowWhatScoredSlicesTook) {
  SimulatedArms port({{.step_seconds = 1e-3}, {.step_seconds = 1e-3}});
  const auto task = comparison(2, block_seconds);
  BlockRun run = ready(port, task);
  SliceLengths lengths = planned_lengths(run, block_seconds);
  const std::int64_t planned = lengths.of(0).steps;
  run.arms[0].scored_step_seconds = {1.1e-3, 1.2e-3, 9e-3};
  correct_lengths(run, lengths);
  EXPECT_EQ(lengths.of(0).steps, planned) << "a fifth is no reason";
  run.arms[0].scored_step_seconds = {0.24e-3, 0.25e-3, 9e-3};
  correct_lengths(run, lengths);
  EXPECT_EQ(lengths.of(0).steps, 4 * planned);
  EXPECT_EQ(lengths.of(1).steps, planned);
}

TEST(AdaptedLengths, StayAsTheyAreOnAQuietMachine) {
  SimulatedArms port({{}, {}});
  const auto task = comparison(2, block_seconds);
  BlockRun run = ready(port, task);
  SliceLengths lengths = planned_lengths(run, block_seconds);
  const SliceLengths before = lengths;
  adapt_lengths(run, lengths, block_seconds);
  for (const std::size_t at : {0U, 1U}) {
    EXPECT_EQ(lengths.of(at).steps, before.of(at).steps);
    EXPECT_EQ(lengths.of(at).reentry_steps, before.of(at).reentry_steps);
  }
}

TEST(AdaptedLengths, RestOnSlicesThatAreNotScored) {
  SimulatedArms port({{}, {}});
  const auto task = comparison(2, block_seconds);
  BlockRun run = ready(port, task);
  SliceLengths lengths = planned_lengths(run, block_seconds);
  adapt_lengths(run, lengths, block_seconds);
  for (const std::uint32_t arm : {0U, 1U}) {
    EXPECT_EQ(port.slices(arm, Phase::warmup).size(), 6U);
    EXPECT_TRUE(port.slices(arm, Phase::steady).empty());
  }
}

TEST(AdaptedLengths, AreLongerWhereTheRatioScatters) {
  SimulatedArms port({{}, {}});
  std::uint64_t turn = 0;
  port.noise = [&](const SimulatedSlice&) { return Disturbed{.log_time = turn++ % 3 == 0 ? 0.2 : 0}; };
  const auto task = comparison(2, block_seconds);
  BlockRun run = ready(port, task);
  SliceLengths lengths = planned_lengths(run, block_seconds);
  const std::int64_t before = lengths.of(0).steps;
  adapt_lengths(run, lengths, block_seconds);
  EXPECT_GT(lengths.of(0).steps, before);
  EXPECT_GT(lengths.of(1).steps, before);
}

TEST(AdaptedLengths, LeaveMoreOutWhereAnArmIsSlowAfterAPause) {
  SimulatedArms port({{.step_seconds = 2e-3}, {.step_seconds = 2e-3, .slow_when_resumed = 9}});
  const auto task = comparison(2, block_seconds);
  BlockRun run = ready(port, task);
  SliceLengths lengths = planned_lengths(run, block_seconds);
  ASSERT_LT(lengths.of(1).reentry_steps, 9);
  const std::int64_t before = lengths.of(0).reentry_steps;
  adapt_lengths(run, lengths, block_seconds);
  EXPECT_GE(lengths.of(1).reentry_steps, 9);
  EXPECT_EQ(lengths.of(0).reentry_steps, before);
}

TEST(AdaptedLengths, LookAtLongStepsTooWhereTimeAllows) {
  const SimulatedArm slow{.step_seconds = 4e-3, .slow_when_resumed = 9};
  for (const double budget_seconds : {block_seconds, 0.5}) {
    SimulatedArms port({{.step_seconds = 4e-3}, slow});
    const auto task = comparison(2, budget_seconds);
    BlockRun run = ready(port, task);
    SliceLengths lengths = planned_lengths(run, budget_seconds);
    const std::int64_t before = lengths.of(0).reentry_steps;
    adapt_lengths(run, lengths, budget_seconds);
    EXPECT_EQ(lengths.of(1).reentry_steps >= 9, budget_seconds == block_seconds) << lengths.of(1).reentry_steps;
    EXPECT_EQ(lengths.of(0).reentry_steps, before);
  }
}

TEST(OrderSeed, IsTheBlocksOwn) {
  auto one = comparison(2, 1);
  auto other = comparison(2, 1);
  EXPECT_EQ(order_seed(one), order_seed(other));
  other.hash.bytes[0] = static_cast<decltype(other.hash.bytes)::value_type>(1);
  EXPECT_NE(order_seed(one), order_seed(other));
}

}  // namespace
}  // namespace regatta::measure
