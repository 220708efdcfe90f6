#include "regatta/measure/block_run.hpp"

#include <gtest/gtest.h>

#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

struct Prepared2 {
  SimulatedArms port{{{.step_seconds = 1e-3}, {.step_seconds = 1e-3, .steps_per_call = 4}}};
  sweep::BlockTask task = comparison(2, 1);
  BlockRun run{port, task};

  Prepared2() {
    for_each_living(run, [&](Arm& arm) { prepare_arm(run, arm); });
    port.asked.clear();
  }
};

TEST(BlockRun, WakesAnArmOnceForManySlices) {
  Prepared2 two;
  for (int i = 0; i < 3; ++i) take_slice(two.run, two.run.arms[1], Phase::warmup, {.steps = 1});
  EXPECT_EQ(two.port.count(Verb::resume, 1), 0U) << "it was awake";
  for (int i = 0; i < 3; ++i) take_slice(two.run, two.run.arms[0], Phase::warmup, {.steps = 1});
  EXPECT_EQ(two.port.count(Verb::park, 1), 1U);
  EXPECT_EQ(two.port.count(Verb::resume, 0), 1U);
  EXPECT_EQ(two.port.broken_rules, std::vector<std::string>());
}

TEST(BlockRun, NumbersSlicesAndWritesTheirSquareIntoTheirSamples) {
  Prepared2 two;
  two.run.samples.clear();  // how the processes began
  take_slice(two.run, two.run.arms[0], Phase::steady, {.steps = 2}, 0);
  take_slice(two.run, two.run.arms[1], Phase::steady, {.steps = 4, .group = 4}, 5);
  ASSERT_EQ(two.run.samples.size(), 3U);
  EXPECT_EQ(two.run.samples[2].slice, two.run.samples[0].slice + 1);
  EXPECT_EQ(two.run.samples[2].square, 5);
  EXPECT_EQ(two.run.samples[2].arm, 1);
}

TEST(BlockRun, KeepsHowEachProcessBegan) {
  Prepared2 two;
  renew_arm(two.run, two.run.arms[1]);
  take_slice(two.run, two.run.arms[1], Phase::first, {.steps = 1});
  std::vector<std::pair<std::uint32_t, Phase>> kept;
  for (const stats::Sample& sample : two.run.samples)
    if (sample.arm == 1) kept.emplace_back(sample.slice, sample.phase);
  EXPECT_EQ(kept,
            (std::vector<std::pair<std::uint32_t, Phase>>{
                {1, Phase::start}, {1, Phase::prepare}, {2, Phase::start}, {2, Phase::prepare}, {3, Phase::first}}));
}

TEST(BlockRun, TellsTheTimeOfTheStepsThatWereAskedFor) {
  Prepared2 two;
  EXPECT_NEAR(take_slice(two.run, two.run.arms[1], Phase::warmup, {.steps = 5}), 5e-3, 1e-12) << "it took 8";
  EXPECT_NEAR(take_slice(two.run, two.run.arms[0], Phase::warmup, {.reentry_steps = 7, .steps = 3}), 3e-3, 1e-12)
      << "re-entry is not counted";
}

TEST(BlockRun, KeepsTheSamplesOfAnArmThatEnds) {
  Prepared2 two;
  take_slice(two.run, two.run.arms[1], Phase::steady, {.steps = 4});
  two.port.before = [](const Asked&) { throw ArmEnded{sweep::Skipped{"no such step"}}; };
  for_living(two.run, 1, [&](Arm& arm) { take_slice(two.run, arm, Phase::steady, {.steps = 4}); });
  EXPECT_FALSE(two.run.is_living(1));
  EXPECT_TRUE(two.run.is_living(0));
  EXPECT_EQ(sweep::reason_of(two.run.arms[1].outcome), "no such step");
  EXPECT_FALSE(two.run.samples.empty());
}

TEST(BlockRun, ParksAnArmThatFailedToPrepare) {
  SimulatedArms port({{}, {}});
  const auto task = comparison(2, 1);
  BlockRun run(port, task);
  port.before = [](const Asked& asked) {
    if (asked == Asked{Verb::prepare, 0}) throw ArmEnded{sweep::Skipped{"no such layer"}};
  };
  for_each_living(run, [&](Arm& arm) { prepare_arm(run, arm); });
  EXPECT_EQ(port.count(Verb::park, 0), 1U) << "its process may live, and spin";
}

TEST(BlockRun, BeginsWithoutTheArmsThatWereDropped) {
  SimulatedArms port({{}, {}});
  auto task = comparison(2, 1);
  task.dropped.push_back({{0}, sweep::FailureKind::timed_out, "thrice"});
  const BlockRun run(port, task);
  EXPECT_EQ(run.living, std::vector<std::size_t>{1});
  EXPECT_TRUE(std::holds_alternative<sweep::Failed>(run.arms[0].outcome));
}

TEST(BlockRun, StaysBelowWhatOneMessageHolds) {
  SimulatedArms port(std::vector<SimulatedArm>{{.step_seconds = 1e-6}});
  const auto task = comparison(1, 1);
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) { prepare_arm(run, arm); });
  for (int i = 0; i < 3; ++i) take_slice(run, run.arms[0], Phase::steady, {.steps = 200'000});
  EXPECT_LE(run.samples.size(), 400'000U);
  std::int64_t steps = 0;
  for (const stats::Sample& sample : run.samples) steps += sample.steps;
  EXPECT_EQ(steps, 600'000);
}

TEST(BlockRun, ForeseesStartsSideBySideByWhatStaysInTurn) {
  SimulatedArms port({{.start_seconds = 2}, {.start_seconds = 4}, {.start_seconds = 6}});  // half of it for the model
  const auto task = comparison(3, 10);
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) { prepare_arm(run, arm); });
  EXPECT_DOUBLE_EQ(start_seconds(run), 12);
  EXPECT_DOUBLE_EQ(start_seconds_side_by_side(run), 12) << "no cores for it";
  port.places = 1;
  EXPECT_DOUBLE_EQ(start_seconds_side_by_side(run), 1 + 6) << "models one after the other";
  run.arms[1].import_seconds = 3.5;
  run.arms[2].import_seconds = 5.5;
  EXPECT_DOUBLE_EQ(start_seconds_side_by_side(run), 9) << "what starts before them";
  port.places = 2;
  EXPECT_DOUBLE_EQ(start_seconds_side_by_side(run), 4.5);
  run.arms[2].first_step_seconds = 3;
  EXPECT_DOUBLE_EQ(start_seconds(run), 15);
  EXPECT_DOUBLE_EQ(start_seconds_side_by_side(run), 1 + 15 - 10);
}

}  // namespace
}  // namespace regatta::measure
