#include <gtest/gtest.h>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

TEST(Feeding, DoesNotQueueTheLastBlocksBehindABusyAgent) {
  Scheduler scheduler(jobs(3), {.expected_agents = 2});
  EXPECT_EQ(texts(scheduler.on(joined(0))), (Lines{"grant 0: 0 attempt 1", "grant 0: 1 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(1))), (Lines{"grant 1: 2 attempt 1"}));
}

TEST(Feeding, GivesBlocksOnlyToSlotsThatCanHoldThem) {
  std::vector<BlockRequest> list = jobs(1, {1, 4, cpu});
  const std::vector<BlockRequest> on_gpu = jobs(1, {1, 1, cuda}, 1, 1);
  list.insert(list.end(), on_gpu.begin(), on_gpu.end());
  Scheduler scheduler(list, {.expected_agents = 3});
  EXPECT_TRUE(scheduler.on(joined(0, 2)).empty());
  EXPECT_EQ(texts(scheduler.on(joined(1, 1, {cpu, cuda}))), (Lines{"grant 1: 1 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(2, 4))), (Lines{"grant 2: 0 attempt 1"}));
}

TEST(Feeding, GivesALargeSlotTheBlocksThatOnlyItCanHoldFirst) {
  std::vector<BlockRequest> list = jobs(2);
  list.push_back({{2}, {1, 4, cpu}, 1});
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 2});
  EXPECT_EQ(texts(scheduler.on(joined(0, 1))), (Lines{"grant 0: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(joined(1, 4))), (Lines{"grant 1: 2 attempt 1"}));
}

/// Blocks that an agent holds once this many were done, each in `seconds`.
std::size_t held_after(std::uint32_t done, double seconds, std::uint32_t blocks, std::uint32_t agents = 1) {
  Scheduler scheduler(jobs(blocks), {.batch = 64, .expected_agents = agents});
  std::size_t held = 0;
  std::uint32_t next = 0;
  const auto take = [&](const std::vector<Action>& actions) {
    for (const Action& action : actions)
      if (const auto* grant = std::get_if<Grant>(&action)) held += grant->count;
  };
  take(scheduler.on(joined(0)));
  for (; next < done; --held) take(scheduler.on(BlockDone{{0}, {next++}, {1}, seconds}));
  return held;
}

TEST(Feeding, AnAgentHoldsAsManyQuickBlocksAsLastAMoment) {
  EXPECT_LE(held_after(100, 10, 100'000), 65U);
  EXPECT_LE(held_after(100, 0, 100'000), 65U) << "nobody knows how long they take";
  const std::size_t of_a_millisecond = held_after(100, 1e-3, 100'000);
  EXPECT_GE(of_a_millisecond, 50U);
  EXPECT_LE(of_a_millisecond, 50U + 64U);
  const std::size_t of_no_ops = held_after(100, 2e-5, 100'000);
  EXPECT_GE(of_no_ops, 512U);
  EXPECT_LE(of_no_ops, 512U + 64U);
}

TEST(Feeding, NobodyHoardsQuickBlocksTowardsTheEnd) { EXPECT_LE(held_after(100, 2e-5, 400, 4), 100U); }

}  // namespace
}  // namespace regatta::schedule::testing
