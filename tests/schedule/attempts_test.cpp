#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

TEST(Attempts, RepeatABlockUntilItsArmIsDroppedThenRunTheOthers) {
  Scheduler scheduler(jobs(1, {}, 2), {.attempts = 2});
  scheduler.on(joined(0));
  EXPECT_EQ(texts(scheduler.on(died(0, 0, 1, 1))), (Lines{"grant 0: 0 attempt 2"}));
  const std::vector<Action> actions = scheduler.on(died(0, 0, 2, 1));
  ASSERT_EQ(texts(actions), (Lines{"grant 0: 0 attempt 3 dropped 1"}));
  const Cause& cause = std::get<Grant>(actions[0]).dropped[0].second;
  EXPECT_EQ(cause.message, "killed by signal 11 (2 attempts)");
  EXPECT_EQ(cause.kind, sweep::FailureKind::crashed);
  EXPECT_EQ(texts(scheduler.on(done(0, 0, 3))), (Lines{"dismiss 0"}));
}

TEST(Attempts, AreCountedForEachArmByItself) {
  Scheduler scheduler(jobs(1, {}, 2), {.attempts = 2});
  scheduler.on(joined(0));
  EXPECT_EQ(texts(scheduler.on(died(0, 0, 1, 0))), (Lines{"grant 0: 0 attempt 2"}));
  EXPECT_EQ(texts(scheduler.on(died(0, 0, 2, 1))), (Lines{"grant 0: 0 attempt 3"}));
}

TEST(Attempts, ConcludeABlockWithoutArmsWithTheCausesInOrder) {
  Scheduler scheduler(jobs(1, {}, 2), {.attempts = 1});
  scheduler.on(joined(0));
  EXPECT_EQ(texts(scheduler.on(died(0, 0, 1, 1))), (Lines{"grant 0: 0 attempt 2 dropped 1"}));
  const std::vector<Action> actions = scheduler.on(died(0, 0, 2, 0));
  ASSERT_EQ(texts(actions), (Lines{"conclude 0 dropped 1 dropped 0", "dismiss 0"}));
  EXPECT_EQ(std::get<Conclude>(actions[0]).attempt, AttemptId{2});
  EXPECT_EQ(std::get<Conclude>(actions[0]).dropped[0].second.message, "killed by signal 11 (1 attempt)");
}

TEST(Attempts, KeepTheLastCause) {
  Scheduler scheduler(jobs(1), {.attempts = 2});
  scheduler.on(joined(0));
  scheduler.on(died(0, 0, 1));
  const Cause hang{sweep::FailureKind::timed_out, "no answer for 300 s"};
  const std::vector<Action> actions = scheduler.on(AttemptFailed{{0}, {0}, {2}, {0}, hang});
  EXPECT_EQ(std::get<Conclude>(actions.at(0)).dropped.at(0).second.kind, sweep::FailureKind::timed_out);
}

TEST(Attempts, LeaveTheOtherBlocksOfARangeWithTheirAgent) {
  Scheduler scheduler(jobs(16), {.batch = 4, .outstanding = 0});
  ASSERT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0+4 attempt 1"}));
  EXPECT_TRUE(scheduler.on(done(0, 0)).empty());
  EXPECT_TRUE(scheduler.on(died(0, 1)).empty()) << "it still holds blocks 2 and 3";
  EXPECT_EQ(scheduler.running(), 2U);
  EXPECT_EQ(scheduler.waiting(), 13U);
  EXPECT_TRUE(scheduler.on(done(0, 2)).empty());
  EXPECT_EQ(texts(scheduler.on(done(0, 3))), (Lines{"grant 0: 1 attempt 2"})) << "what came back goes first";
}

TEST(Attempts, WakeAnIdleAgentForTheRepetition) {
  Scheduler scheduler(jobs(3), {.outstanding = 0, .expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  EXPECT_EQ(texts(scheduler.on(done(0, 0))), (Lines{"grant 0: 2 attempt 1"}));
  scheduler.on(done(1, 1));
  EXPECT_EQ(texts(scheduler.on(died(0, 2))), (Lines{"grant 0: 2 attempt 2"}));
  EXPECT_EQ(texts(scheduler.on(AgentLeft{{0}})), (Lines{"grant 1: 2 attempt 3"}));
}

TEST(Attempts, IgnoreReportsThatAreRepeatedStaleOrFromSomebodyElse) {
  Scheduler scheduler(jobs(1), {.expected_agents = 2});
  scheduler.on(joined(0));
  scheduler.on(joined(1));
  scheduler.on(died(0, 0, 1));
  EXPECT_TRUE(scheduler.on(died(0, 0, 1)).empty());
  EXPECT_TRUE(scheduler.on(done(0, 0, 1)).empty());
  EXPECT_TRUE(scheduler.on(done(1, 0, 2)).empty());
  EXPECT_TRUE(scheduler.on(done(0, 77, 2)).empty());
  EXPECT_TRUE(scheduler.on(done(9, 0, 2)).empty());
  EXPECT_TRUE(scheduler.on(AgentLeft{{9}}).empty());
  EXPECT_TRUE(scheduler.on(joined(0)).empty());
  EXPECT_EQ(scheduler.running(), 1U);
  EXPECT_EQ(texts(scheduler.on(done(0, 0, 2))), (Lines{"dismiss 0", "dismiss 1"}));
  EXPECT_TRUE(scheduler.on(done(0, 0, 2)).empty());
}

TEST(Attempts, RejectADeathOfAnArmThatTheBlockDoesNotHave) {
  Scheduler scheduler(jobs(1, {}, 2), {});
  scheduler.on(joined(0));
  EXPECT_THROW(scheduler.on(died(0, 0, 1, 2)), InternalError);
}

TEST(Attempts, RejectABlockGivenTwiceOrWithoutArms) {
  std::vector<BlockRequest> twice = jobs(1);
  twice.push_back(twice[0]);
  EXPECT_THROW(Scheduler(twice, {}), InternalError);
  EXPECT_THROW(Scheduler(jobs(1, {}, 0), {}), InternalError);
}

}  // namespace
}  // namespace regatta::schedule::testing
