#include "regatta/measure/run_block.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "measure/simulated_arms.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;
using ::testing::HasSubstr;

BlockOutcome outcome_of(SimulatedArms& port, const sweep::BlockTask& task) {
  BlockBudget budget;
  return run_block(port, task, budget);
}

std::set<std::uint16_t> squares_of(const protocol::BlockResult& result) {
  std::set<std::uint16_t> squares;
  for (const stats::Sample& sample : result.samples)
    if (sample.phase == Phase::steady) squares.insert(sample.square);
  return squares;
}

TEST(Block, ReportsWhatThePortKnowsOfItsArms) {
  SimulatedArms port({{.peak_bytes = 5000}, {}});
  auto task = comparison(2, 1);
  task.block = {7};
  task.attempt = {3};
  task.dropped.push_back({{1}, sweep::FailureKind::timed_out, "three times"});
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, task));
  EXPECT_EQ(result.block, BlockIndex{7});
  EXPECT_EQ(result.attempt, AttemptId{3});
  EXPECT_EQ(result.arms[0].environment, "simulated");
  EXPECT_EQ(sweep::peak_bytes(result.arms[0]), 5000U);
  EXPECT_EQ(result.arms[1].arm, ArmIndex{1});
  EXPECT_EQ(sweep::reason_of(result.arms[1].outcome),
            sweep::reason_of(sweep::Failed{sweep::FailureKind::timed_out, "three times"}));
  EXPECT_EQ(port.count(Verb::prepare, 1), 0U) << "a dropped arm is not started";
  EXPECT_EQ(port.count(Verb::release, 0), 1U);
}

TEST(Block, ReportsTheMemoryThatItsArmsWereSeenToUse) {
  SimulatedArms port({{.seen_bytes = 9000}, {.peak_bytes = 5000, .seen_bytes = 100'000, .kept_bytes = 10}});
  auto task = comparison(2, 1);
  task.measure.slices = 4;
  task.measure.steps = 100;
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, task));
  const auto number = [&](std::size_t arm, sweep::Fact fact) { return number_of(result.arms[arm].facts, fact); };
  EXPECT_EQ(sweep::peak_bytes(result.arms[0]), 9000U) << "not what its worker said before its first step";
  EXPECT_EQ(number(0, sweep::Fact::memory_growth), 0);
  EXPECT_GT(number(0, sweep::Fact::memory_steps), 100);
  EXPECT_EQ(number(1, sweep::Fact::memory_growth), 10);
  EXPECT_GT(sweep::peak_bytes(result.arms[1]), 101'000U);
}

TEST(Block, EndsItsAttemptWhenAProcessDies) {
  SimulatedArms port({{}, {}});
  port.before = [](const Asked& asked) {
    if (asked == Asked{Verb::slice, 1, Phase::steady})
      throw ArmDied{{1}, sweep::FailureKind::crashed, "killed by signal 11"};
  };
  auto task = comparison(2, 1);
  task.block = {4};
  task.attempt = {2};
  const auto failed = std::get<protocol::AttemptFailed>(outcome_of(port, task));
  EXPECT_EQ(failed.block, BlockIndex{4});
  EXPECT_EQ(failed.attempt, AttemptId{2});
  EXPECT_EQ(failed.arm, ArmIndex{1});
  EXPECT_EQ(failed.kind, sweep::FailureKind::crashed);
  EXPECT_EQ(failed.message, "killed by signal 11");
  EXPECT_EQ(port.count(Verb::release, 0), 1U);
}

TEST(Block, NamesRankAndStepOfADeath) {
  SimulatedArms port({{}, {}});
  port.before = [](const Asked& asked) {
    if (asked == Asked{Verb::slice, 1, Phase::steady})
      throw ArmDied{{1}, sweep::FailureKind::crashed, "killed by signal 9", DeathPlace{2, 17}};
  };
  EXPECT_EQ(std::get<protocol::AttemptFailed>(outcome_of(port, comparison(2, 1))).message,
            "rank 2, after 17 steps of the slice: killed by signal 9");
}

TEST(Drain, EndsABlockAtItsNextCompleteSquareAndKeepsIt) {
  SimulatedArms port({{}, {}});
  port.noise = undecidable;
  port.drain = [&] { return port.slices(0, Phase::steady).size() >= 5; };  // in the middle of the third square
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, comparison(2, 60)));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(squares_of(result), (std::set<std::uint16_t>{0, 1, 2}));
  EXPECT_EQ(port.slices(0, Phase::steady).size(), 6U) << "the square was completed";
  EXPECT_EQ(result.undecided, 1);
}

TEST(Drain, EndsAPlannedNumberOfRoundsToo) {
  SimulatedArms port(std::vector<SimulatedArm>{{}});
  auto task = comparison(1, 1);
  task.has_baseline = false;
  port.drain = [&] { return port.slices(0, Phase::steady).size() >= 10; };
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, task));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(port.slices(0, Phase::steady).size(), 10U);
}

TEST(Drain, LeavesABlockThatIsDoneAsItIs) {
  SimulatedArms port({{}, {.step_seconds = 1.5e-4}});
  port.drain = [&] { return port.slices(0, Phase::steady).size() >= 29; };  // in the fifteenth and last square
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, comparison(2, 60)));
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(squares_of(result).size(), 15U);
}

TEST(Drain, GivesABlockBackThatHasNoSquareYet) {
  SimulatedArms port({{}, {}});
  auto task = comparison(2, 60);
  task.block = {9};
  port.drain = [&] { return port.count(Verb::prepare, 0) > 0; };
  const auto given = std::get<protocol::GivenBack>(outcome_of(port, task));
  EXPECT_EQ(given.blocks, std::vector<BlockIndex>{{9}});
  EXPECT_EQ(port.count(Verb::prepare, 1), 0U);
  EXPECT_EQ(port.count(Verb::release, 0), 1U);
}

TEST(Drain, ThatCannotWaitKeepsTheSquaresThatAreComplete) {
  SimulatedArms port({{}, {}});
  port.noise = undecidable;
  port.before = [&](const Asked& asked) {
    if (asked == Asked{Verb::slice, 0, Phase::steady} && port.slices(0, Phase::steady).size() == 6) throw Interrupted{};
  };
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, comparison(2, 60)));
  EXPECT_TRUE(result.interrupted);
  EXPECT_TRUE(squares_of(result).contains(1));
}

TEST(Drain, ThatCannotWaitDropsTheSquareThatIsNotComplete) {
  SimulatedArms port({{}, {}});
  port.noise = undecidable;
  port.before = [&](const Asked& asked) {
    if (asked == Asked{Verb::slice, 0, Phase::steady} && port.slices(0, Phase::steady).size() == 5) throw Interrupted{};
  };
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, comparison(2, 60)));
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(squares_of(result), (std::set<std::uint16_t>{0, 1}));
}

TEST(Block, ChecksWhatArmsComputeBeforeAnythingIsScored) {
  SimulatedArms port({{}, {.step_seconds = 1.5e-4}});
  auto task = comparison(2, 1);
  for (auto& arm : task.arms) {
    for (const sweep::ParamInfo& row : sweep::parameter_table()) arm.parameters.set(row.param, row.fallback);
  }
  std::vector<std::size_t> scored_before;
  port.before = [&](const Asked& asked) {
    if (asked.verb == Verb::check) scored_before.push_back(port.slices(0, Phase::steady).size());
  };
  outcome_of(port, task);
  EXPECT_EQ(scored_before, (std::vector<std::size_t>{0, 0}));
}

/// Two arms of a model that computes, at steps so quick that a core of 1e9 multiply-adds per second cannot take them.
struct Impossible {
  SimulatedArms port{{{.step_seconds = 1e-4}, {.step_seconds = 1e-4}}};
  sweep::BlockTask task = comparison(2, 1);

  Impossible() {
    for (auto& arm : task.arms) {
      arm.model = model::Matmul{"matmul-1000", 1000};
      for (const sweep::ParamInfo& row : sweep::parameter_table()) arm.parameters.set(row.param, row.fallback);
    }
  }
};

TEST(StepsFasterThanTheHardware, AreRefused) {
  Impossible block;
  block.port.core_peaks = {1e9};
  const auto result = std::get<protocol::BlockResult>(outcome_of(block.port, block.task));
  EXPECT_EQ(result.arms[1].verified, sweep::Verified::no);
  EXPECT_THAT(sweep::text_of(result.arms[1].facts, sweep::Fact::verified_detail),
              HasSubstr("faster than the hardware"));
  EXPECT_EQ(block.port.broken_rules, std::vector<std::string>()) << "nobody runs beside a calibration";
}

TEST(StepsFasterThanTheHardware, AreNotRefusedByACalibrationOfADisturbedMinute) {
  Impossible block;
  block.port.core_peaks = {1e9, 1e15};
  const auto result = std::get<protocol::BlockResult>(outcome_of(block.port, block.task));
  EXPECT_EQ(result.arms[1].verified, sweep::Verified::yes);
  EXPECT_EQ(block.port.count(Verb::calibrate, 2), 2U) << "again, before the first arm is accused";
}

TEST(StepsFasterThanTheHardware, AreJudgedByTheDeviceThatTheyRunOn) {
  Impossible block;
  block.port.core_peaks = {1e9};
  block.port.device_peaks_found = {{.fp32 = 1e9}};
  for (auto& arm : block.task.arms) arm.parameters[sweep::Param::device] = std::string("cuda");
  const auto result = std::get<protocol::BlockResult>(outcome_of(block.port, block.task));
  EXPECT_THAT(sweep::text_of(result.arms[1].facts, sweep::Fact::verified_detail), HasSubstr("this device's peak"));
  EXPECT_EQ(block.port.broken_rules, std::vector<std::string>());

  Impossible possible;
  possible.port.core_peaks = {1e9};
  possible.port.device_peaks_found = {{.fp32 = 1e15}};
  for (auto& arm : possible.task.arms) arm.parameters[sweep::Param::device] = std::string("cuda");
  const auto judged = std::get<protocol::BlockResult>(outcome_of(possible.port, possible.task));
  EXPECT_EQ(judged.arms[1].verified, sweep::Verified::yes) << "the cores' peak says nothing about it";
}

TEST(Block, TellsWhatADeviceHoldsForItsArms) {
  SimulatedArms port({{.device_memory = protocol::DeviceMemory{1 << 20, 0}}, {}});
  const auto result = std::get<protocol::BlockResult>(outcome_of(port, comparison(2, 1)));
  EXPECT_EQ(sweep::number_of(result.arms[0].facts, sweep::Fact::device_bytes), 1 << 20);
  EXPECT_EQ(sweep::number_of(result.arms[1].facts, sweep::Fact::device_bytes), 0);
}

TEST(Calibration, IsNotAskedForByStepsThatDoNothing) {
  SimulatedArms port({{}, {.step_seconds = 1.5e-4}});
  outcome_of(port, comparison(2, 1));
  EXPECT_EQ(port.count(Verb::calibrate, 2), 0U);
}

}  // namespace
}  // namespace regatta::measure
