#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

using ::testing::HasSubstr;

constexpr std::uint64_t mib = 1 << 20;

std::string failure_of(const Arm& arm) { return sweep::reason_of(arm.outcome); }

TEST(PreparedArms, AreAsManyAsTheLimitHolds) {
  SimulatedArms port({{.peak_bytes = 300 * mib}, {.peak_bytes = 300 * mib}, {.peak_bytes = 100 * mib}});
  auto task = comparison(3, 1);
  task.limits.memory_bytes = 500 * mib;
  BlockRun run(port, task);
  prepare_arms(run);
  EXPECT_EQ(run.living, (std::vector<std::size_t>{0, 2})) << "what is small still fits";
  EXPECT_THAT(failure_of(run.arms[1]), HasSubstr("limits.memory"));
  EXPECT_EQ(port.count(Verb::evict, 1), 1U);
}

TEST(PreparedArms, ShareTheMachineWhereNoLimitIsSet) {
  SimulatedArms port({{.peak_bytes = 300 * mib}, {.peak_bytes = 300 * mib}});
  port.machine_bytes = 500 * mib;
  const auto task = comparison(2, 1);
  BlockRun run(port, task);
  prepare_arms(run);
  EXPECT_THAT(failure_of(run.arms[1]), HasSubstr("this machine's memory"));
}

TEST(PreparedArms, NeverLeaveTheBaselineOut) {
  SimulatedArms port({{.peak_bytes = 900 * mib}, {}});
  auto task = comparison(2, 1);
  task.limits.memory_bytes = 500 * mib;
  BlockRun run(port, task);
  prepare_arms(run);
  EXPECT_TRUE(run.is_living(0));
}

/// The arms that still live after their first steps, by position; the others are refused.
std::vector<std::size_t> living_after_pilots(const std::vector<SimulatedArm>& arms, std::uint64_t limit_bytes) {
  SimulatedArms port(arms);
  auto task = comparison(arms.size(), 1);
  task.limits.memory_bytes = limit_bytes;
  BlockRun run(port, task);
  prepare_arms(run);
  for_each_living(run, [&](Arm& arm) { take_slice(run, arm, stats::Phase::first, {.steps = 1}); });
  refuse_what_outgrew_memory(run);
  return run.living;
}

TEST(PreparedArms, ThatOutgrowTheLimitInTheirFirstStepsAreRefused) {
  const SimulatedArm small{.peak_bytes = 10 * mib, .seen_bytes = 100 * mib};
  const SimulatedArm large{.peak_bytes = 10 * mib, .seen_bytes = 450 * mib};
  EXPECT_EQ(living_after_pilots({small, large, small}, 500 * mib), (std::vector<std::size_t>{0, 2}));
  EXPECT_EQ(living_after_pilots({small, large, small}, 700 * mib).size(), 3U);
}

TEST(PreparedArms, MayEachRiseWhileTheOthersArePaused) {
  SimulatedArms port({{}, {}});
  const auto task = comparison(2, 1);
  const auto living_of = [&](std::uint64_t limit_bytes) {
    auto limited = task;
    limited.limits.memory_bytes = limit_bytes;
    BlockRun run(port, limited);
    for (Arm& arm : run.arms) arm.memory.push_back({.seen = {300 * mib, 100 * mib, 0}});
    refuse_what_outgrew_memory(run);
    return run.living.size();
  };
  EXPECT_EQ(living_of(400 * mib), 2U) << "100 MiB beside the one that runs";
  EXPECT_EQ(living_of(399 * mib), 1U);
}

TEST(PreparedArms, ShareTheMemoryOfTheDeviceToo) {
  const auto on_device = [](std::uint64_t held) {
    return SimulatedArm{.peak_bytes = 1, .device_memory = protocol::DeviceMemory{held * mib, 500 * mib}};
  };
  SimulatedArms port({on_device(300), {.peak_bytes = 900 * mib}, on_device(300), on_device(200)});
  const auto task = comparison(4, 1);
  BlockRun run(port, task);
  prepare_arms(run);
  EXPECT_EQ(run.living, (std::vector<std::size_t>{0, 1, 3})) << "an arm on cores takes none of it";
  EXPECT_EQ(failure_of(run.arms[2]),
            "out_of_memory: 300.0 MiB beside the 300.0 MiB of the arms that it is compared with, together more than "
            "the memory of the "
            "device, 500.0 MiB; compare fewer at once, or take a smaller batch");
  EXPECT_EQ(port.count(Verb::evict, 2), 1U);
}

TEST(PreparedArms, AreNotCountedOnADeviceThatDoesNotTellWhatItHas) {
  const SimulatedArm arm{.device_memory = protocol::DeviceMemory{300 * mib, 0}};
  SimulatedArms port({arm, arm});
  const auto task = comparison(2, 1);
  BlockRun run(port, task);
  prepare_arms(run);
  EXPECT_EQ(run.living.size(), 2U);
}

TEST(PreparedArms, AreParkedWhileTheNextOneStarts) {
  SimulatedArms port({{}, {}, {}});
  const auto task = comparison(3, 1);
  BlockRun run(port, task);
  prepare_arms(run);
  EXPECT_EQ(port.broken_rules, std::vector<std::string>());
  EXPECT_EQ(port.count(Verb::park, 0), 1U);
}

}  // namespace
}  // namespace regatta::measure
