#include <gtest/gtest.h>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

Event lost(std::uint32_t agent, std::vector<BlockIndex> blocks = {}) {
  return DeviceLost{{agent}, cuda, std::move(blocks), "the device was set aside"};
}

Event failed_on_device(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt = 1, std::uint32_t arm = 0) {
  return AttemptFailed{{agent}, {block}, {attempt}, {arm}, {sweep::FailureKind::device, "lost", true}};
}

TEST(LostDevices, SendTheirBlocksToOthers) {
  Scheduler scheduler(jobs(2, {1, 1, cuda}), {.outstanding = 0, .expected_agents = 2});
  scheduler.on(joined(0, 1, {cpu, cuda}));
  scheduler.on(joined(1, 1, {cpu, cuda}));
  EXPECT_TRUE(scheduler.on(lost(0, {{0}})).empty()) << "the other one is busy";
  const std::vector<Action> actions = scheduler.on(done(1, 1));
  ASSERT_EQ(texts(actions), (Lines{"grant 1: 0 attempt 2"}));
  EXPECT_EQ(std::get<Grant>(actions[0]).without_device, "");
}

TEST(LostDevices, LeaveTheCoresAtWork) {
  std::vector<BlockRequest> list = jobs(1, {1, 1, cuda});
  const std::vector<BlockRequest> on_cores = jobs(2, {}, 1, 1);
  list.insert(list.end(), on_cores.begin(), on_cores.end());
  Scheduler scheduler(list, {.outstanding = 0});
  EXPECT_EQ(texts(scheduler.on(joined(0, 1, {cpu, cuda}))), (Lines{"grant 0: 0 attempt 1"}));
  const std::vector<Action> actions = scheduler.on(lost(0, {{0}}));
  ASSERT_EQ(texts(actions), (Lines{"grant 0: 0 attempt 2"}));
  EXPECT_EQ(std::get<Grant>(actions[0]).without_device, "the device was set aside");
  EXPECT_EQ(texts(scheduler.on(done(0, 0, 2))), (Lines{"grant 0: 1 attempt 1"}));
}

TEST(LostDevices, EndArmsThatDiedOnThemAsTheyDied) {
  Scheduler scheduler(jobs(1, {1, 1, cuda}, 2), {});
  scheduler.on(joined(0, 1, {cpu, cuda}));
  EXPECT_EQ(texts(scheduler.on(failed_on_device(0, 0, 1, 1))), (Lines{"grant 0: 0 attempt 2"}));
  const std::vector<Action> actions = scheduler.on(lost(0, {{0}}));
  ASSERT_EQ(texts(actions), (Lines{"grant 0: 0 attempt 3 dropped 1"}));
  EXPECT_EQ(std::get<Grant>(actions[0]).dropped[0].second.message, "lost (1 attempt)");
}

TEST(LostDevices, ConcludeBlocksWhoseArmsAllDiedOnThem) {
  Scheduler scheduler(jobs(1, {1, 1, cuda}), {});
  scheduler.on(joined(0, 1, {cpu, cuda}));
  scheduler.on(failed_on_device(0, 0));
  EXPECT_EQ(texts(scheduler.on(lost(0, {{0}}))), (Lines{"conclude 0 dropped 0", "dismiss 0"}));
  EXPECT_TRUE(scheduler.finished());
}

TEST(LostDevices, DoNotEndArmsThatDiedOnCores) {
  Scheduler scheduler(jobs(1, {1, 1, cuda}, 2), {});
  scheduler.on(joined(0, 1, {cpu, cuda}));
  scheduler.on(died(0, 0));
  EXPECT_EQ(texts(scheduler.on(lost(0, {{0}}))), (Lines{"grant 0: 0 attempt 3"}));
}

TEST(LostDevices, AreNoReasonToSkipWhileAnAgentThatLeftHadOne) {
  Scheduler scheduler(jobs(2, {1, 1, cuda}), {.outstanding = 0, .expected_agents = 2});
  scheduler.on(joined(0, 1, {cpu, cuda}));
  scheduler.on(joined(1, 1, {cpu, cuda}));
  scheduler.on(AgentLeft{{0}});
  EXPECT_EQ(texts(scheduler.on(lost(1, {{1}}))), (Lines{"dismiss 1"})) << "the next job may have it again";
  EXPECT_EQ(scheduler.waiting(), 2U);
}

TEST(LostDevices, MayBeSaidTwice) {
  Scheduler scheduler(jobs(2, {1, 1, cuda}), {.outstanding = 1, .expected_agents = 2});
  scheduler.on(joined(0, 1, {cpu, cuda}));
  scheduler.on(joined(1, 1, {cpu, cuda}));
  scheduler.on(lost(0));
  EXPECT_TRUE(scheduler.on(lost(0)).empty());
  EXPECT_TRUE(scheduler.on(lost(0, {{0}})).empty()) << "granted before the coordinator knew";
  EXPECT_EQ(texts(scheduler.on(done(1, 1))), (Lines{"grant 1: 0 attempt 2"}));
}

}  // namespace
}  // namespace regatta::schedule::testing
