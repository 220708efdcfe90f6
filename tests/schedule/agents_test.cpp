#include <gtest/gtest.h>

#include "schedule/schedule.hpp"

namespace regatta::schedule {
namespace {

constexpr auto cpu = sweep::DeviceKind::cpu;
constexpr auto cuda = sweep::DeviceKind::cuda;

/// One queue of blocks of 2 CPU cores, one of blocks of a GPU.
Core two_queues() {
  Core core;
  core.queues.resize(2);
  core.queues[0].demand = {1, 2, cpu};
  core.queues[1].demand = {1, 1, cuda};
  return core;
}

TEST(Agents, FitADemandWithEnoughCoresAndItsDevice) {
  EXPECT_TRUE(fits(2, {cpu}, {1, 2, cpu}));
  EXPECT_FALSE(fits(1, {cpu}, {1, 2, cpu}));
  EXPECT_FALSE(fits(8, {cpu}, {1, 1, cuda}));
  EXPECT_TRUE(fits(1, {cpu, cuda}, {1, 1, cuda}));
}

TEST(Agents, CountAsCapableWhileTheyTakeWork) {
  Core core = two_queues();
  enrol(core, {{3}, 2, {cuda, cpu}});
  enrol(core, {{0}, 1, {cpu}});
  EXPECT_EQ(core.queues[0].capable, 1U);
  EXPECT_EQ(core.queues[1].capable, 1U);
  retire(core, {3}, Duty::leaving);
  EXPECT_EQ(core.queues[0].capable, 0U);
  EXPECT_EQ(core.on_duty, 2U) << "it still finishes what it holds";
  retire(core, {3}, Duty::dismissed);
  retire(core, {3}, Duty::absent);
  EXPECT_EQ(core.queues[0].capable, 0U);
  EXPECT_EQ(core.on_duty, 1U);
  EXPECT_FALSE(is_present(core, {3}));
  EXPECT_FALSE(is_present(core, {99}));
}

TEST(Agents, AreCountedOnceHoweverOftenTheyJoin) {
  Core core = two_queues();
  for (int times = 0; times < 3; ++times) {
    enrol(core, {{0}, 2, {cpu}});
    EXPECT_EQ(core.queues[0].capable, 1U);
    retire(core, {0}, Duty::absent);
  }
  EXPECT_EQ(core.joined, 1U);
  EXPECT_EQ(core.queues[0].capable_ever, 1U);
}

TEST(Agents, OfTheSameSlotShareOneKind) {
  Core core = two_queues();
  enrol(core, {{0}, 2, {cpu, cuda}});
  enrol(core, {{1}, 2, {cuda, cpu, cpu}});
  enrol(core, {{2}, 4, {cpu, cuda}});
  EXPECT_EQ(core.kinds.size(), 2U);
}

TEST(Agents, CountNoMoreForTheDeviceThatTheyLost) {
  Core core;
  core.queues.resize(2);
  core.queues[0].demand = {1, 1, cpu};
  core.queues[1].demand = {1, 1, cuda};
  for (std::uint32_t id : {0U, 1U}) enrol(core, {{id}, 2, {cpu, cuda}});
  forget_device(core, {0}, cuda);
  EXPECT_EQ(core.queues[0].capable, 2U);
  EXPECT_EQ(core.queues[0].capable_ever, 2U);
  EXPECT_EQ(core.queues[1].capable, 1U);
  EXPECT_EQ(core.queues[1].capable_ever, 1U);
  forget_device(core, {0}, cuda);
  EXPECT_EQ(core.queues[1].capable_ever, 1U) << "once";
}

}  // namespace
}  // namespace regatta::schedule
