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

}  // namespace
}  // namespace regatta::schedule::testing
