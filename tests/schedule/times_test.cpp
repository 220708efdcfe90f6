#include <gtest/gtest.h>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

/// Blocks that are expected to take so long; each is of a kind of its own unless `alike`.
std::vector<BlockRequest> lasting(const std::vector<double>& seconds, bool alike = false) {
  std::vector<BlockRequest> list = jobs(static_cast<std::uint32_t>(seconds.size()));
  for (std::uint32_t i = 0; i < list.size(); ++i) list[i].estimate = {seconds[i], 1, alike ? 0 : i};
  return list;
}

Event took(std::uint32_t agent, std::uint32_t block, double seconds) {
  return BlockDone{{agent}, {block}, {1}, seconds};
}

/// One agent's blocks in the order in which it gets them, each of which takes as long as expected.
std::vector<std::uint32_t> order_of(const std::vector<BlockRequest>& list, Options options) {
  options.outstanding = 0;
  Scheduler scheduler(list, options);
  std::vector<std::uint32_t> order;
  Event event = joined(0);
  for (;;) {
    const std::vector<Action> actions = scheduler.on(event);
    const auto* grant = actions.empty() ? nullptr : std::get_if<Grant>(&actions.front());
    if (grant == nullptr) return order;
    order.push_back(grant->first.value);
    event = took(0, order.back(), list[order.back()].estimate.seconds);
  }
}

using Order = std::vector<std::uint32_t>;

TEST(Times, LongBlocksGoFirst) {
  const std::vector<BlockRequest> list = lasting({1, 60, 5, 70, 300});
  EXPECT_EQ(order_of(list, {.longest_first = true}), (Order{4, 1, 3, 2, 0})) << "plan order within a factor of two";
  EXPECT_EQ(order_of(list, {}), (Order{0, 1, 2, 3, 4}));
}

TEST(Times, ALaterStageWaitsHoweverLongItsBlocks) {
  std::vector<BlockRequest> list = lasting({1, 60, 5, 70});
  list[3].stage = 1;
  EXPECT_EQ(order_of(list, {.longest_first = true}), (Order{1, 2, 0, 3}));
}

TEST(Times, QuickBlocksStayInPlanOrderSoThatRangesStayLong) {
  EXPECT_EQ(order_of(lasting({0.001, 0.09, 0.0001, 0.02}), {.longest_first = true}), (Order{0, 1, 2, 3}));
}

TEST(Times, WhatNobodyKnowsGoesFirst) {
  EXPECT_EQ(order_of(lasting({50, 0, 100, 0}), {.longest_first = true}), (Order{1, 3, 2, 0}));
}

TEST(Times, BlocksOfAKindThatTookLongerThanExpectedMoveUp) {
  std::vector<BlockRequest> list = lasting({8, 4, 1, 4});
  list[2].estimate.alike = 0;
  list[3].estimate.alike = 1;
  Scheduler scheduler(list, {.outstanding = 0, .longest_first = true});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(took(0, 0, 160))), (Lines{"grant 0: 1 attempt 1"}))
      << "all seem to take 20 times as long";
  EXPECT_EQ(texts(scheduler.on(took(0, 1, 4))), (Lines{"grant 0: 2 attempt 1"})) << "20 s; block 3 takes 4";
}

TEST(Times, NothingBeginsThatMostLikelyDoesNotEndInTime) {
  Scheduler scheduler(lasting({10, 100, 30}), {.outstanding = 0, .end_seconds = 100});
  EXPECT_EQ(texts(scheduler.on(joined(0), 0)), (Lines{"grant 0: 2 attempt 1"})) << "1 may not end by 100";
  EXPECT_EQ(texts(scheduler.on(took(0, 2, 30), 30)), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(took(0, 0, 10), 40)), (Lines{"dismiss 0"}));
  EXPECT_TRUE(scheduler.finished());
  EXPECT_EQ(scheduler.waiting(), 1U);
}

TEST(Times, WhatKeepsPartOfItBeginsWithLittleTimeLeft) {
  std::vector<BlockRequest> list = lasting({1000});
  list[0].estimate.least_share = 0.01;
  Scheduler scheduler(list, {.end_seconds = 100});
  EXPECT_EQ(texts(scheduler.on(joined(0), 50)), (Lines{"grant 0: 0 attempt 1"}));
}

TEST(Times, AKindThatTakesLongerThanExpectedIsNotBegunAnyMore) {
  Scheduler scheduler(lasting({10, 10, 10}, true), {.outstanding = 0, .end_seconds = 100});
  EXPECT_EQ(texts(scheduler.on(joined(0), 0)), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(took(0, 0, 50), 50)), (Lines{"dismiss 0"}));
}

// Only agent 1 can hold block 1, which seems too long until blocks like it turn out to be quick.
TEST(Times, AnIdleAgentBeginsWhatTurnsOutToBeShortEnough) {
  std::vector<BlockRequest> list = lasting({60, 80}, true);
  list[1].demand.device = cuda;
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 2, .end_seconds = 150});
  EXPECT_EQ(texts(scheduler.on(joined(0), 0)), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_TRUE(scheduler.on(joined(1, 1, {cuda}), 0).empty());
  EXPECT_EQ(texts(scheduler.on(took(0, 0, 6), 6)), (Lines{"grant 1: 1 attempt 1"}));
}

TEST(Times, AnAgentIsNotGivenMoreOfARangeThanEndsInTime) {
  Scheduler scheduler(lasting(std::vector<double>(1000, 1), true), {.batch = 64, .end_seconds = 20});
  std::uint32_t granted = 0;
  for (const Action& action : scheduler.on(joined(0), 0)) granted += std::get<Grant>(action).count;
  EXPECT_LE(granted, 11U) << "1.9 seconds each";
  EXPECT_GE(granted, 10U);
}

}  // namespace
}  // namespace regatta::schedule::testing
