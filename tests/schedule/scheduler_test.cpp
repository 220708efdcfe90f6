#include "regatta/schedule/scheduler.hpp"

#include <gtest/gtest.h>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

TEST(Ending, DismissesEverybody) {
  Scheduler scheduler(jobs(2), {.expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_TRUE(scheduler.on(done(0, 0)).empty());
  EXPECT_FALSE(scheduler.finished());
  EXPECT_EQ(texts(scheduler.on(done(1, 1))), (Lines{"dismiss 0", "dismiss 1"}));
  EXPECT_TRUE(scheduler.finished());
}

TEST(Ending, ComesAtOnceWithoutBlocks) {
  Scheduler scheduler({}, {});
  EXPECT_TRUE(scheduler.finished());
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"dismiss 0"}));
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

std::vector<BlockRequest> jobs_of_which_run_alone(std::uint32_t count, const std::vector<std::uint32_t>& alone) {
  std::vector<BlockRequest> list = jobs(count);
  for (const std::uint32_t block : alone) list.at(block).alone = true;
  return list;
}

TEST(RunningAlone, ComesLastAndWithNothingBesideIt) {
  Scheduler scheduler(jobs_of_which_run_alone(5, {0, 2}), {.outstanding = 0, .expected_agents = 2});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 1 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(1))), (Lines{"grant 1: 3 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(done(0, 1))), (Lines{"grant 0: 4 attempt 1"}));
  EXPECT_TRUE(scheduler.on(done(1, 3)).empty()) << "another one runs still";
  EXPECT_EQ(texts(scheduler.on(done(0, 4))), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(scheduler.waiting(), 1U);
  EXPECT_EQ(texts(scheduler.on(died(0, 0))), (Lines{"grant 0: 0 attempt 2"})) << "its own next attempt";
  EXPECT_EQ(texts(scheduler.on(done(0, 0, 2))), (Lines{"grant 0: 2 attempt 1"}));
  EXPECT_FALSE(scheduler.finished());
  EXPECT_EQ(texts(scheduler.on(done(0, 2))), (Lines{"dismiss 0", "dismiss 1"}));
}

TEST(RunningAlone, WaitsUntilAllHaveJoinedAndIsRefusedIfNobodyCanHoldIt) {
  std::vector<BlockRequest> list = jobs(1, {1, 4, cpu});
  list.front().alone = true;
  Scheduler scheduler(list, {.expected_agents = 2});
  EXPECT_TRUE(scheduler.on(joined(0, 4)).empty()) << "agent 1 may come any time";
  EXPECT_EQ(texts(scheduler.on(joined(1))), (Lines{"grant 0: 0 attempt 1"}));
  Scheduler small(list, {});
  EXPECT_EQ(texts(small.on(joined(0, 2))), (Lines{"refuse 0", "dismiss 0"}));
}

TEST(RunningAlone, BeginsNothingInADrain) {
  Scheduler scheduler(jobs_of_which_run_alone(2, {1}), {});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1"}));
  scheduler.on(DrainRequested{});
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"dismiss 0"}));
  EXPECT_EQ(scheduler.waiting(), 1U);
}

TEST(RunningAlone, GathersTheGroupOfABlockOfSeveralRanks) {
  std::vector<BlockRequest> list = jobs(2);
  list.push_back({{2}, {2, 1, cpu}, 1});
  list.back().alone = true;
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_TRUE(scheduler.on(done(1, 1)).empty());
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"grant 0 1: 2 attempt 1"}));
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
