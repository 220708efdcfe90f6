#include <gtest/gtest.h>

#include <algorithm>

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

TEST(Grants, AreRangesOnlyWithinOneDemand) {
  std::vector<BlockRequest> mixed = jobs(40);
  mixed[3].demand.cores = 2;
  Scheduler scheduler(mixed, {.batch = 8, .outstanding = 0});
  EXPECT_EQ(texts(scheduler.on(joined(0, 2))), (Lines{"grant 0: 0+3 attempt 1"}));
}

/// Blocks 0 to 5, of which 1, 2 and 4 belong together.
std::vector<BlockRequest> with_a_tour() {
  std::vector<BlockRequest> requests = jobs(6);
  for (const std::size_t at : {1, 2, 4}) requests[at].tour = 7;
  return requests;
}

TEST(Grants, BringATourToOneAgentWhole) {
  Scheduler scheduler(with_a_tour(), {.batch = 8, .outstanding = 0});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1"})) << "a range ends where a tour begins";
  const auto actions = scheduler.on(done(0, 0));
  EXPECT_EQ(texts(actions), (Lines{"grant 0: 1+2 attempt 1", "grant 0: 4 attempt 1"}));
  EXPECT_EQ(std::get<Grant>(actions[0]).tour, 7U);
  EXPECT_EQ(std::get<Grant>(actions[0]).to_come, 1U);
  EXPECT_EQ(std::get<Grant>(actions[1]).to_come, 0U);
  for (const std::uint32_t block : {2, 1}) EXPECT_EQ(texts(scheduler.on(done(0, block))), Lines{});
  const auto rest = scheduler.on(done(0, 4));
  EXPECT_EQ(texts(rest), (Lines{"grant 0: 3 attempt 1"}));
  EXPECT_EQ(std::get<Grant>(rest[0]).tour, 0U);
}

TEST(Grants, RepeatABlockOfATourByItself) {
  Scheduler scheduler(with_a_tour(), {.outstanding = 0});
  scheduler.on(joined(0));
  scheduler.on(done(0, 0));
  EXPECT_EQ(texts(scheduler.on(died(0, 2))), Lines{}) << "the agent goes on with the others";
  scheduler.on(done(0, 1));
  const auto again = scheduler.on(done(0, 4));
  EXPECT_EQ(texts(again), (Lines{"grant 0: 2 attempt 2"}));
  EXPECT_EQ(std::get<Grant>(again[0]).tour, 0U);
}

}  // namespace
}  // namespace regatta::schedule::testing
