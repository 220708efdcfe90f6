#include "measure/prepare_arms.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

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
