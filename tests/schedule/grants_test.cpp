#include <gtest/gtest.h>

#include <set>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

TEST(Grants, GoOutInPlanOrderOneBeyondTheRunningBlock) {
  Scheduler scheduler(jobs(4), {});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1", "grant 0: 1 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"grant 0: 2 attempt 1"}));
  EXPECT_EQ(scheduler.waiting(), 1U);
  EXPECT_EQ(scheduler.running(), 2U);
  EXPECT_EQ(scheduler.concluded(), 1U);
}

TEST(Grants, AreOneAtATimeWithoutExtraBlocks) {
  Scheduler scheduler(jobs(2), {.outstanding = 0});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"grant 0: 1 attempt 1"}));
}

TEST(Grants, EndWithDismissalOfEverybody) {
  Scheduler scheduler(jobs(2), {.expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_TRUE(scheduler.on(done(0, 0)).empty());
  EXPECT_FALSE(scheduler.finished());
  EXPECT_EQ(texts(scheduler.on(done(1, 1))), (Lines{"dismiss 0", "dismiss 1"}));
  EXPECT_TRUE(scheduler.finished());
}

TEST(Grants, OfAnEmptySweepAreDismissals) {
  Scheduler scheduler({}, {});
  EXPECT_TRUE(scheduler.finished());
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"dismiss 0"}));
}

TEST(Grants, AreRangesOfConsecutiveBlocksThatShrinkToSinglesTowardsTheEnd) {
  Scheduler scheduler(jobs(100), {.batch = 16, .outstanding = 0});
  std::vector<std::uint32_t> counts;
  std::uint32_t next = 0;
  std::vector<Action> actions = scheduler.on(joined(0));
  while (next < 100) {
    ASSERT_EQ(actions.size(), 1U);
    const Grant grant = std::get<Grant>(actions.front());
    EXPECT_EQ(grant.first.value, next);
    counts.push_back(grant.count);
    for (std::uint32_t i = 0; i < grant.count; ++i) actions = scheduler.on(done(0, next++));
  }
  EXPECT_EQ(counts.front(), 16U);
  EXPECT_EQ(counts.back(), 1U);
  EXPECT_TRUE(std::is_sorted(counts.rbegin(), counts.rend()));
}

TEST(Grants, LeaveTheOtherHalfToAgentsThatAreStillToJoin) {
  Scheduler scheduler(jobs(16), {.batch = 1000, .outstanding = 0, .expected_agents = 4});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0+2 attempt 1"}));
}

TEST(Grants, DoNotQueueTheLastBlocksBehindABusyAgent) {
  Scheduler scheduler(jobs(3), {.expected_agents = 2});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1", "grant 0: 1 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(1))), (Lines{"grant 1: 2 attempt 1"}));
}

TEST(Grants, AreRangesOnlyWithinOneDemand) {
  std::vector<Job> mixed = jobs(40);
  mixed[3].demand.cores = 2;
  Scheduler scheduler(mixed, {.batch = 8, .outstanding = 0});
  EXPECT_EQ(texts(scheduler.on(joined(0, 2))), (Lines{"grant 0: 0+3 attempt 1"}));
}

TEST(Grants, GoOnlyToSlotsThatCanHoldThem) {
  std::vector<Job> list = jobs(1, {1, 4, cpu});
  const std::vector<Job> on_gpu = jobs(1, {1, 1, cuda}, 1, 1);
  list.insert(list.end(), on_gpu.begin(), on_gpu.end());
  Scheduler scheduler(list, {.expected_agents = 3});
  EXPECT_TRUE(scheduler.on(joined(0, 2)).empty());
  EXPECT_EQ(texts(scheduler.on(joined(1, 1, {cpu, cuda}))), (Lines{"grant 1: 1 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(2, 4))), (Lines{"grant 2: 0 attempt 1"}));
}

TEST(Grants, GiveALargeSlotTheBlocksThatOnlyItCanHoldFirst) {
  std::vector<Job> list = jobs(2);
  list.push_back({{2}, {1, 4, cpu}, 1});
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 2});
  EXPECT_EQ(texts(scheduler.on(joined(0, 1))), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(1, 4))), (Lines{"grant 1: 2 attempt 1"}));
}

TEST(Leaving, HandsTheBlocksOfALostAgentToOthersAsNewAttempts) {
  Scheduler scheduler(jobs(3), {.batch = 8, .outstanding = 2, .expected_agents = 2});
  EXPECT_EQ(texts(scheduler.on(joined(0))).size(), 2U);
  scheduler.on(joined(1));
  scheduler.on(done(1, 2));
  EXPECT_EQ(texts(scheduler.on(AgentLeft{{0}})), (Lines{"grant 1: 0 attempt 2", "grant 1: 1 attempt 2"}));
  EXPECT_TRUE(scheduler.on(done(0, 0, 1)).empty()) << "the lost agent's report is stale";
  EXPECT_EQ(scheduler.running(), 2U);
  scheduler.on(done(1, 0, 2));
  EXPECT_EQ(texts(scheduler.on(done(1, 1, 2))), (Lines{"dismiss 1"}));
}

TEST(Leaving, CountsNoAttempt) {
  Scheduler scheduler(jobs(1), {.attempts = 2});
  scheduler.on(joined(0));
  for (std::uint32_t attempt = 1; attempt <= 5; ++attempt) {
    scheduler.on(AgentLeft{{0}});
    const std::string expected = "grant 0: 0 attempt " + std::to_string(attempt + 1);
    EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{expected}));
  }
}

TEST(Leaving, EndsTheJobWhenNobodyIsLeftForWhatWaits) {
  Scheduler scheduler(jobs(1, {1, 4, cpu}), {.expected_agents = 2});
  scheduler.on(joined(0, 1));
  scheduler.on(joined(1, 4));
  EXPECT_EQ(texts(scheduler.on(AgentLeft{{1}})), (Lines{"dismiss 0"}))
      << "not refused: the next job may have such a slot";
  EXPECT_TRUE(scheduler.finished());
  EXPECT_EQ(scheduler.waiting(), 1U);
}

TEST(GivingBack, HandsTheBlocksToOthersAndLetsTheAgentGo) {
  Scheduler scheduler(jobs(6), {.outstanding = 1});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_TRUE(scheduler.on(BlocksGivenBack{{0}, {{1}}}).empty());
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"dismiss 0"}));
  EXPECT_EQ(texts(scheduler.on(done(1, 2))), (Lines{"grant 1: 1 attempt 2"}));
}

TEST(Draining, GrantsNothingMoreAndLetsWhatRunsFinish) {
  Scheduler scheduler(jobs(10), {.outstanding = 0, .expected_agents = 3});
  for (std::uint32_t agent : {0U, 1U}) scheduler.on(joined(agent));
  EXPECT_TRUE(scheduler.on(DrainRequested{}).empty());
  EXPECT_FALSE(scheduler.finished());
  EXPECT_EQ(texts(scheduler.on(joined(2))), (Lines{"dismiss 2"}));
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"dismiss 0"}));
  EXPECT_EQ(texts(scheduler.on(died(1, 1))), (Lines{"dismiss 1"})) << "not tried again";
  EXPECT_TRUE(scheduler.finished());
  EXPECT_EQ(scheduler.waiting(), 9U);
}

TEST(Draining, DismissesIdleAgentsAtOnce) {
  Scheduler scheduler(jobs(1), {.expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_EQ(texts(scheduler.on(DrainRequested{})), (Lines{"dismiss 1"}));
  EXPECT_TRUE(scheduler.on(DrainRequested{}).empty());
}

}  // namespace
}  // namespace regatta::schedule::testing
