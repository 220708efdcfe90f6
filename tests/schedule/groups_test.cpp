#include <gtest/gtest.h>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

TEST(Groups, GetAllTheirAgentsAtOnceLedByTheLowest) {
  Scheduler scheduler(jobs(1, {3, 1, cpu}), {.expected_agents = 3});
  EXPECT_TRUE(scheduler.on(joined(2)).empty());
  EXPECT_TRUE(scheduler.on(joined(0)).empty());
  EXPECT_EQ(texts(scheduler.on(joined(1))), (Lines{"grant 0 1 2: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"dismiss 0", "dismiss 1", "dismiss 2"}));
}

TEST(Groups, AreConcludedByTheirLeaderOnly) {
  Scheduler scheduler(jobs(1, {2, 1, cpu}), {.expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_TRUE(scheduler.on(done(1, 0)).empty());
  EXPECT_EQ(scheduler.running(), 1U);
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"dismiss 0", "dismiss 1"}));
}

TEST(Groups, AreNotStarvedByAStreamOfSingleBlocks) {
  std::vector<BlockRequest> list = jobs(100);
  list[4].demand.ranks = 2;
  Scheduler scheduler(list, {.outstanding = 1, .expected_agents = 2});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1", "grant 0: 1 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(1))), (Lines{"grant 1: 2 attempt 1", "grant 1: 3 attempt 1"}));
  EXPECT_TRUE(scheduler.on(done(0, 0)).empty()) << "reserved: it only finishes what it holds";
  EXPECT_TRUE(scheduler.on(done(0, 1)).empty());
  EXPECT_TRUE(scheduler.on(done(1, 2)).empty());
  EXPECT_EQ(texts(scheduler.on(done(1, 3))), (Lines{"grant 0 1: 4 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(done(0, 4))),
            (Lines{"grant 0: 5 attempt 1", "grant 0: 6 attempt 1", "grant 1: 7 attempt 1", "grant 1: 8 attempt 1"}));
}

TEST(Groups, LeaveAgentsThatTheyDoNotNeedToOtherWork) {
  std::vector<BlockRequest> list = jobs(10);
  list[0].demand.ranks = 2;
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 3});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 1 attempt 1"})) << "no second agent is there yet";
  EXPECT_TRUE(scheduler.on(joined(1)).empty()) << "reserved";
  EXPECT_EQ(texts(scheduler.on(joined(2))), (Lines{"grant 1 2: 0 attempt 1"}));
}

TEST(Groups, StartAgainWithOthersWhenAMemberIsLost) {
  Scheduler scheduler(jobs(1, {2, 1, cpu}), {.attempts = 1, .expected_agents = 3});
  for (std::uint32_t agent : {0U, 1U, 2U}) scheduler.on(joined(agent));
  EXPECT_EQ(texts(scheduler.on(AgentLeft{{1}})), (Lines{"grant 0 2: 0 attempt 2"}));
  EXPECT_TRUE(scheduler.on(done(0, 0, 1)).empty());
  EXPECT_EQ(scheduler.running(), 1U);
}

TEST(Groups, CountADeathInAnyMember) {
  Scheduler scheduler(jobs(1, {2, 1, cpu}), {.attempts = 1, .expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_EQ(texts(scheduler.on(died(1, 0))), (Lines{"conclude 0 dropped 0", "dismiss 0", "dismiss 1"}));
}

// Agents 0 and 1 are reserved for one pair, agents 2 and 3 for another. When 0 and 2 go, each pair would wait
// for a second agent for ever if reservations were not made anew.
TEST(Groups, DoNotBlockEachOtherWhenReservedAgentsAreLost) {
  std::vector<BlockRequest> list = jobs(16);
  list[8].demand.ranks = list[9].demand.ranks = 2;
  Scheduler scheduler(list, {.outstanding = 1, .expected_agents = 4});
  for (std::uint32_t agent : {0U, 1U, 2U, 3U}) EXPECT_EQ(scheduler.on(joined(agent)).size(), 2U);
  for (std::uint32_t agent : {0U, 1U, 2U, 3U}) EXPECT_TRUE(scheduler.on(done(agent, 2 * agent)).empty()) << "reserved";
  for (std::uint32_t agent : {0U, 2U}) EXPECT_TRUE(scheduler.on(done(agent, 2 * agent + 1)).empty()) << "waits";
  EXPECT_TRUE(scheduler.on(AgentLeft{{0}}).empty());
  EXPECT_TRUE(scheduler.on(AgentLeft{{2}}).empty());
  EXPECT_TRUE(scheduler.on(done(1, 3)).empty());
  EXPECT_EQ(texts(scheduler.on(done(3, 7))), (Lines{"grant 1 3: 8 attempt 1"}));
}

// Agents 0 and 1 are reserved for the pair, 2 and 3 find no work. When 0 goes, 1 returns to work that only it
// can do, and nobody else asks by himself.
TEST(Groups, AreOfferedToIdleAgentsWhenAReservedOneIsLost) {
  std::vector<BlockRequest> list = jobs(8, {1, 1, cuda});
  list.push_back({{8}, {2, 1, cpu}, 1});
  Scheduler scheduler(list, {.outstanding = 2, .expected_agents = 4});
  EXPECT_EQ(scheduler.on(joined(1, 1, {cpu, cuda})).size(), 3U);
  EXPECT_TRUE(scheduler.on(joined(0)).empty());
  EXPECT_TRUE(scheduler.on(done(1, 0)).empty());
  EXPECT_TRUE(scheduler.on(joined(2)).empty());
  EXPECT_TRUE(scheduler.on(joined(3)).empty());
  EXPECT_EQ(texts(scheduler.on(AgentLeft{{0}})), (Lines{"grant 1: 3 attempt 1", "grant 2 3: 8 attempt 1"}));
}

}  // namespace
}  // namespace regatta::schedule::testing
