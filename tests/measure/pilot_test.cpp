#include <gtest/gtest.h>

#include <optional>
#include <set>
#include <utility>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_block.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

struct Piloted {
  Piloted(SimulatedArms& port, const sweep::BlockTask& task) : run(port, task) {
    for_each_living(run, [&](Arm& arm) { prepare_arm(run, arm); });
    for_each_living(run, [&](Arm& arm) { pilot(run, arm); });
  }
  BlockRun run;
};

TEST(Pilot, FindsTheTimeOfAStep) {
  SimulatedArms port({{.step_seconds = 3e-4}, {.step_seconds = 0.02}});
  const auto task = comparison(2, 1);
  Piloted piloted(port, task);
  EXPECT_NEAR(piloted.run.arms[0].step_seconds, 3e-4, 1e-9);
  EXPECT_NEAR(piloted.run.arms[1].step_seconds, 0.02, 1e-9);
}

TEST(Pilot, BeginsWithTheFirstStepAloneAndScoresNothing) {
  SimulatedArms port({{}, {}});
  const auto task = comparison(2, 1);
  const Piloted piloted(port, task);
  for (const std::uint32_t arm : {0U, 1U}) {
    ASSERT_EQ(port.slices(arm, Phase::first).size(), 1U);
    EXPECT_EQ(port.slices(arm, Phase::first).front().length.steps, 1);
    EXPECT_TRUE(port.slices(arm, Phase::steady).empty());
  }
  EXPECT_EQ(piloted.run.active_seconds, 0);
}

TEST(Pilot, LooksAtLongStepsBriefly) {
  for (const auto& [step_seconds, steps] : {std::pair{5.0, 2U}, std::pair{30.0, 1U}}) {
    SimulatedArms port(std::vector<SimulatedArm>{{.step_seconds = step_seconds}});
    const auto task = comparison(1, 100);
    const Piloted piloted(port, task);
    EXPECT_EQ(port.slices(0, Phase::warmup).size(), steps);
    EXPECT_EQ(port.slices(0, Phase::warmup).front().length.steps, 1);
  }
}

TEST(Pilot, IsNotMisledByStepsThatStillInitialise) {
  for (const auto& [step_seconds, lazy_factor] :
       {std::pair{5e-6, 100.0}, std::pair{1e-3, 100.0}, std::pair{0.05, 4.0}}) {
    SimulatedArms port({{.step_seconds = step_seconds, .lazy_factor = lazy_factor}, {.step_seconds = step_seconds}});
    const auto task = comparison(2, 600);
    const Piloted piloted(port, task);
    EXPECT_NEAR(piloted.run.arms[0].step_seconds / step_seconds, 1, 0.1) << step_seconds;
  }
}

TEST(Pilot, AProgramThatIsComparedWithNothingRunsAsOftenAsTold) {
  const auto runs = [](std::size_t arms, std::optional<std::int64_t> steps) {
    SimulatedArms port(std::vector<SimulatedArm>(arms, SimulatedArm{.step_seconds = 5}));
    auto task = comparison(static_cast<std::uint32_t>(arms), 100);
    for (auto& arm : task.arms) arm.command = sweep::Command{"sleep", {"sleep"}, "", ""};
    task.measure.slices = 3;
    task.measure.steps = steps;
    BlockBudget budget;
    EXPECT_TRUE(std::holds_alternative<protocol::BlockResult>(run_block(port, task, budget)));
    std::pair<std::size_t, std::int64_t> counted{port.slices(0, Phase::first).size(), 0};
    for (const Asked& slice : port.slices(0, Phase::steady)) counted.second += slice.length.steps;
    for (const Asked& slice : port.slices(0, Phase::steady)) EXPECT_EQ(slice.length.group, 1);
    return counted;
  };
  EXPECT_EQ(runs(1, 2), (std::pair<std::size_t, std::int64_t>{0, 6}));
  EXPECT_EQ(runs(2, 2).first, 1U) << "a cold start would be the baseline's alone";
  EXPECT_EQ(runs(1, std::nullopt).first, 1U) << "how many steps a slice has depends on it";
}

TEST(Pilot, TriesCallsOfSeveralLengthsOfEveryArmThatHasTimeForThem) {
  SimulatedArms port({{.step_seconds = 2.6e-4}, {.step_seconds = 0.005}, {.step_seconds = 0.03}, {.step_seconds = 1}});
  const auto task = comparison(4, 120);
  const Piloted piloted(port, task);
  const auto lengths_of = [&](std::uint32_t arm) {
    std::set<std::int64_t> lengths;
    for (const auto& slice : port.slices(arm, Phase::warmup)) {
      if (slice.length.steps > 1 && slice.length.group == slice.length.steps) lengths.insert(slice.length.steps);
    }
    return lengths;
  };
  EXPECT_EQ(lengths_of(0), (std::set<std::int64_t>{12, 18, 27, 39}));
  EXPECT_EQ(lengths_of(1), (std::set<std::int64_t>{2, 3, 4, 6}));
  EXPECT_EQ(lengths_of(2), (std::set<std::int64_t>{2, 3, 5})) << "of long calls, three";
  EXPECT_EQ(lengths_of(3), (std::set<std::int64_t>{})) << "30 s would be more than a tenth of its time";
  for (const Arm& arm : piloted.run.arms) EXPECT_NEAR(arm.call_length_misfit, 0, 1e-12) << "their time is a line";
}

TEST(Pilot, EndsAnArmWhoseClockStandsStill) {
  SimulatedArms port({{.step_seconds = 0}, {.step_seconds = 1e-4}});
  const auto task = comparison(2, 1);
  const Piloted piloted(port, task);
  EXPECT_EQ(piloted.run.living, (std::vector<std::size_t>{1}));
  EXPECT_NE(sweep::reason_of(piloted.run.arms[0].outcome).find("20000000 steps took 0 s"), std::string::npos);
}

TEST(Pilot, RunsAProgramOnce) {
  SimulatedArms port({{.step_seconds = 0.3}, {.step_seconds = 0.3}});
  auto task = comparison(2, 1);
  for (auto& arm : task.arms) arm.command = sweep::Command{"sleep", {"sleep"}, "", ""};
  const Piloted piloted(port, task);
  EXPECT_TRUE(port.slices(0, Phase::warmup).empty());
  EXPECT_NEAR(piloted.run.arms[0].step_seconds, 0.3, 1e-3);
}

TEST(Pilot, TakesOneMoreStepWhereTheSweepFixesEverything) {
  SimulatedArms port(std::vector<SimulatedArm>{{}});
  auto task = comparison(1, 1);
  task.measure.slices = 4;
  task.measure.steps = 10;
  const Piloted piloted(port, task);
  ASSERT_EQ(port.slices(0, Phase::warmup).size(), 1U);
  EXPECT_EQ(port.slices(0, Phase::warmup).front().length.steps, 1);
}

TEST(Pilot, FindsHowLongAFreshProcessWarmsUp) {
  constexpr std::int64_t slow = 200;
  SimulatedArms port({{.slow_when_fresh = slow}, {}});
  const auto task = comparison(2, 1);
  const Piloted piloted(port, task);
  EXPECT_GE(piloted.run.arms[0].warmup_steps, slow - 5) << "the first step is run anyway, the last ones do not matter";
  EXPECT_LE(piloted.run.arms[0].warmup_steps, 2 * slow);
  EXPECT_LT(piloted.run.arms[1].warmup_steps, piloted.run.arms[0].warmup_steps);
}

TEST(WarmUps, AreAsLongAsTheLongestOfTheArmsThatAreCompared) {
  SimulatedArms port({{.slow_when_fresh = 200}, {}});
  const auto task = comparison(2, 1);
  Piloted piloted(port, task);
  share_warm_ups(piloted.run);
  EXPECT_EQ(piloted.run.arms[0].warmup_steps, piloted.run.arms[1].warmup_steps);
  EXPECT_GE(piloted.run.arms[1].warmup_steps, 195);
}

TEST(FreshProcess, RunsItsFirstStepAndItsWarmUpLessTheReentry) {
  SimulatedArms port({{}, {}});
  const auto task = comparison(2, 1);
  Piloted piloted(port, task);
  piloted.run.arms[1].warmup_steps = 120;
  port.asked.clear();
  renew_process(piloted.run, piloted.run.arms[1], 50);
  EXPECT_EQ(port.count(Verb::renew, 1), 1U);
  EXPECT_EQ(port.slices(1, Phase::first).size(), 1U);
  ASSERT_EQ(port.slices(1, Phase::warmup).size(), 1U);
  EXPECT_EQ(port.slices(1, Phase::warmup).front().length.steps, 70);
}

TEST(FreshProcess, IsNotAskedOfAProgram) {
  SimulatedArms port({{}, {}});
  auto task = comparison(2, 1);
  for (auto& arm : task.arms) arm.command = sweep::Command{"true", {"true"}, "", ""};
  Piloted piloted(port, task);
  renew_process(piloted.run, piloted.run.arms[1], 0);
  EXPECT_EQ(port.count(Verb::renew, 1), 0U);
}

}  // namespace
}  // namespace regatta::measure
