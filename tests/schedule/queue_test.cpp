#include "schedule/queue.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::schedule {
namespace {

DemandQueue queue_with(const std::vector<std::uint32_t>& blocks) {
  DemandQueue queue;
  for (std::uint32_t block : blocks) push_fresh(queue, {block});
  return queue;
}

void expect_taken(DemandQueue& queue, std::uint32_t at_most, std::uint32_t first, std::uint32_t count) {
  const BlockRange range = take(queue, at_most);
  EXPECT_EQ(range.first.value, first);
  EXPECT_EQ(range.count, count);
}

TEST(Queue, GivesConsecutiveBlocksAsOneRange) {
  DemandQueue queue = queue_with({3, 4, 5, 6, 9, 10});
  EXPECT_EQ(queue.waiting, 6U);
  EXPECT_EQ(front(queue), BlockIndex{3});
  expect_taken(queue, 3, 3, 3);
  expect_taken(queue, 100, 6, 1);
  expect_taken(queue, 100, 9, 2);
  EXPECT_EQ(queue.waiting, 0U);
}

TEST(Queue, GivesABlockOutOfTheMiddleOfARange) {
  DemandQueue queue = queue_with({3, 4, 5, 6, 9});
  EXPECT_TRUE(take_one(queue, {5}));
  EXPECT_FALSE(take_one(queue, {5}));
  EXPECT_FALSE(take_one(queue, {7}));
  EXPECT_TRUE(take_one(queue, {9}));
  EXPECT_EQ(queue.waiting, 3U);
  expect_taken(queue, 100, 3, 2);
  EXPECT_TRUE(take_one(queue, {6}));
  EXPECT_TRUE(queue.lines.empty());
  EXPECT_EQ(queue.waiting, 0U);
}

TEST(Queue, GivesOneBlockWhenNoneIsAskedFor) {
  DemandQueue queue = queue_with({1, 2});
  expect_taken(queue, 0, 1, 1);
}

TEST(Queue, GivesBackWhatCameBackFirstAndSingly) {
  DemandQueue queue = queue_with({10, 11});
  push_repeat(queue, {4});
  push_repeat(queue, {5});
  EXPECT_EQ(queue.waiting, 4U);
  EXPECT_EQ(front(queue), BlockIndex{4});
  expect_taken(queue, 8, 4, 1);
  expect_taken(queue, 8, 5, 1);
  expect_taken(queue, 8, 10, 2);
}

TEST(Queue, RefusesBlocksOutOfOrderAndTakingFromNothing) {
  DemandQueue queue = queue_with({5});
  EXPECT_THROW(push_fresh(queue, {5}), InternalError);
  EXPECT_THROW(push_fresh(queue, {2}), InternalError);
  DemandQueue empty;
  EXPECT_THROW(take(empty, 1), InternalError);
}

}  // namespace
}  // namespace regatta::schedule
