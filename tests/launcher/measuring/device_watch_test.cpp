#include "measuring/device_watch.hpp"

#include <gtest/gtest.h>

#include <utility>

namespace regatta::launcher {
namespace {

using sweep::FailureKind;

/// A block of one arm on the cores and one on the device.
sweep::BlockTask task(std::uint64_t number = 0) {
  sweep::BlockTask task;
  task.hash = hash128(std::to_string(number));
  task.arms.resize(2);
  task.arms[1].parameters[sweep::Param::device] = std::string("cuda");
  return task;
}

measure::BlockOutcome died(std::uint32_t arm) {
  return protocol::AttemptFailed{{0}, {1}, {arm}, FailureKind::device, "an illegal address"};
}

measure::BlockOutcome ended(const sweep::Outcome& outcome) {
  protocol::BlockResult result;
  result.arms.resize(2);
  result.arms[1].arm = {1};
  result.arms[1].outcome = outcome;
  return result;
}

class DeviceWatchTest : public ::testing::Test {
 protected:
  void watch(measure::BlockOutcome outcome, std::uint64_t block = 0) {
    watch_device(care_, task(block), before_, outcome, answers_);
    if (const auto* result = std::get_if<protocol::BlockResult>(&outcome)) {
      flags_ = result->flags;
      device_ = result->device;
    }
  }

  DeviceCare care_{{sweep::DeviceKind::cuda, "NVIDIA H200", "GPU-1", 0}, {}, {}, {}};
  DeviceState state_;
  DeviceState before_;
  DeviceHealth health_;
  int checks_ = 0;
  int looks_ = 0;
  stats::Flags flags_;
  sweep::DeviceReadings device_;
  DeviceAnswers answers_{[this] {
                           ++looks_;
                           return state_;
                         },
                         [this] {
                           ++checks_;
                           return health_;
                         },
                         0.05};
};

TEST_F(DeviceWatchTest, ChecksTheDeviceAfterADeathOnItAlone) {
  watch(died(0));
  EXPECT_EQ(checks_, 0);
  watch(died(1));
  EXPECT_EQ(checks_, 1);
  EXPECT_EQ(care_.set_aside, "");
}

TEST_F(DeviceWatchTest, SetsADeviceAsideThatFailsItsCheckOrTrialAfterTrial) {
  watch(died(1), 1);
  watch(died(1), 2);
  watch(ended(sweep::Finished{}), 3);
  watch(died(1), 4);
  watch(died(1), 5);
  EXPECT_EQ(care_.set_aside, "") << "a trial between them was measured";
  watch(died(1), 6);
  EXPECT_NE(care_.set_aside, "");
  watch(died(1), 7);
  EXPECT_EQ(checks_, 5) << "it is not looked at any more";
}

TEST_F(DeviceWatchTest, DoesNotCountTrialsThatWereSkipped) {
  watch(died(1), 1);
  watch(died(1), 2);
  watch(ended(sweep::Skipped{"no such layer"}), 3);
  watch(died(1), 4);
  EXPECT_NE(care_.set_aside, "");
}

TEST_F(DeviceWatchTest, SetsALostDeviceAsideAtOnce) {
  health_.problem = "no driver";
  watch(died(1));
  EXPECT_NE(care_.set_aside, "");
}

TEST_F(DeviceWatchTest, WaitsForMemoryThatTheDeadHeld) {
  care_.free_bytes = 1000;
  state_.free_bytes = 10;
  answers_.state = [this] {
    if (++looks_ == 3) state_.free_bytes = 1000;
    return state_;
  };
  answers_.memory_patience_seconds = 60;
  watch(died(1));
  EXPECT_EQ(looks_, 3);
}

TEST_F(DeviceWatchTest, DoesNotWaitForEver) {
  care_.free_bytes = 1000;
  state_.free_bytes = 10;
  watch(died(1));
  EXPECT_EQ(checks_, 1);
}

TEST_F(DeviceWatchTest, FlagsResultsOfADeviceThatHeatSlows) {
  state_.throttle_reasons = 0x20;
  watch(ended(sweep::Finished{}));
  EXPECT_EQ(flags_, stats::Flags()) << "no NVML at the start";
  care_.free_bytes = 1000;
  watch(ended(sweep::Finished{}));
  EXPECT_EQ(flags_, stats::Flags{stats::Flag::device_throttled});
  state_.throttle_reasons = 0;
  watch(ended(sweep::Finished{}));
  EXPECT_EQ(flags_, stats::Flags());
}

TEST_F(DeviceWatchTest, ReportsWhatTheDeviceToldBeforeABlockAndTellsAfterIt) {
  before_.clock_megahertz = 1980;
  state_.clock_megahertz = 1500;
  watch(ended(sweep::Finished{}));
  EXPECT_TRUE(device_.empty()) << "no NVML at the start";
  care_.free_bytes = 1000;
  watch(ended(sweep::Finished{}));
  EXPECT_EQ(sweep::figure_of(device_.before, sweep::DeviceFigure::clock), 1980);
  EXPECT_EQ(sweep::figure_of(device_.after, sweep::DeviceFigure::clock), 1500);
  EXPECT_EQ(looks_, 1);
}

TEST_F(DeviceWatchTest, FlagsResultsOfADeviceThatHeatHeldDownWhileTheyWereMeasured) {
  care_.free_bytes = 1000;
  before_.heat_nanoseconds = 7'000'000'000;
  const auto flags_after = [&](double hot_seconds) {
    state_.heat_nanoseconds = *before_.heat_nanoseconds + static_cast<std::int64_t>(1e9 * hot_seconds);
    measure::BlockOutcome outcome = ended(sweep::Finished{});
    std::get<protocol::BlockResult>(outcome).end_wall_seconds = 10;
    watch(std::move(outcome));
    return flags_;
  };
  EXPECT_EQ(flags_after(0.04), stats::Flags());
  EXPECT_EQ(flags_after(0.06), stats::Flags{stats::Flag::device_throttled});
  EXPECT_EQ(flags_after(60), stats::Flags()) << "longer than the block: another unit";
}

TEST_F(DeviceWatchTest, LooksAtTheDeviceBeforeBlocksOnItAlone) {
  const auto looks = [&](const sweep::BlockTask& before) {
    look_before(care_, before, answers_);
    return std::exchange(looks_, 0);
  };
  EXPECT_EQ(looks(task()), 0) << "no NVML at the start";
  care_.free_bytes = 1000;
  EXPECT_EQ(looks(task()), 1);
  sweep::BlockTask on_cores = task();
  on_cores.arms.pop_back();
  EXPECT_EQ(looks(on_cores), 0);
  care_.set_aside = "it failed";
  EXPECT_EQ(looks(task()), 0);
}

TEST_F(DeviceWatchTest, LeavesBlocksAloneWhoseArmsOnTheDeviceDoNotRun) {
  sweep::BlockTask without = task();
  without.without_device = "nobody has one";
  measure::BlockOutcome outcome = died(1);
  watch_device(care_, without, before_, outcome, answers_);
  EXPECT_EQ(checks_, 0);
}

}  // namespace
}  // namespace regatta::launcher
