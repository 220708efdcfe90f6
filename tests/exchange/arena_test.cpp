#include "regatta/exchange/arena.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::exchange {
namespace {

constexpr std::size_t page = 1024;  // floats

TEST(Arena, TellsWhatARankSharesOfIt) {
  Arena arena = make_arena(std::vector<std::size_t>{4 * 4096, 5}, {.bytes = 0}, 4);
  ASSERT_EQ(arena.elements, 4U * 4096 + 4 * 1024);
  EXPECT_EQ(shared_bytes(arena), 4 * (arena.elements + 5 * 1024));
  arena.states = 3;
  EXPECT_EQ(shared_bytes(arena), 4 * (arena.elements + 4 * 5 * 1024));
}

TEST(Arena, CutsASmallFirstBucketSoThatTheExchangeBeginsEarly) {
  const std::vector<std::size_t> tensors = {page, page, 4 * page, page};
  const Arena arena = make_arena(tensors, {.first_bytes = 2 * page * 4, .bytes = 5 * page * 4}, 1);
  EXPECT_EQ(arena.buckets, (std::vector<Bucket>{{0, 2 * page, 2 * page}, {2 * page, 5 * page, 5 * page}}));
  EXPECT_EQ(arena.bucket_of, (std::vector<std::size_t>{0, 0, 1, 1}));
  EXPECT_EQ(arena.tensors, (std::vector<std::size_t>{0, page, 2 * page, 6 * page}));
}

TEST(Arena, GivesATensorThatIsLargerThanABucketOneOfItsOwn) {
  const std::vector<std::size_t> tensors = {1, 10 * page, 1};
  const Arena arena = make_arena(tensors, {.first_bytes = 4096, .bytes = 4096}, 1);
  EXPECT_EQ(arena.bucket_of, (std::vector<std::size_t>{0, 1, 2}));
}

TEST(Arena, MakesEachTensorABucketIfItIsAskedTo) {
  const std::vector<std::size_t> tensors = {1, 2, 3};
  EXPECT_EQ(make_arena(tensors, {.bytes = 0}, 2).buckets.size(), 3U);
}

TEST(Arena, PutsWhatIsAwaitedInTheMiddleOfAStepIntoBucketsOfItsOwn) {
  const std::vector<std::size_t> tensors = {8, 16, page, page, page};
  const Arena arena = make_arena(tensors, {.first_bytes = page * 4, .bytes = 5 * page * 4}, 2, 2);
  EXPECT_EQ(arena.bucket_of, (std::vector<std::size_t>{0, 1, 2, 3, 3})) << "the first bucket of gradients is the third";
  EXPECT_EQ(arena.buckets[0], (Bucket{0, 8, page}));
  EXPECT_EQ(arena.buckets[1], (Bucket{2 * page, 16, page}));
}

TEST(Arena, GivesEachRankWholePagesOfEachBucket) {
  const std::vector<std::size_t> tensors = {2 * page + 1, 5};
  const Arena arena = make_arena(tensors, {.bytes = 0}, 2);
  EXPECT_EQ(arena.buckets[0], (Bucket{0, 2 * page + 1, 2 * page}));
  EXPECT_EQ(arena.buckets[1], (Bucket{4 * page, 5, page}));
  EXPECT_EQ(arena.elements, 6 * page);
}

TEST(Arena, BeginsTensorsOnLinesOfTheCache) {
  EXPECT_EQ(make_arena(std::vector<std::size_t>{1, 17, 16, 3}, {}, 1).tensors,
            (std::vector<std::size_t>{0, 16, 48, 64}));
}

TEST(Arena, IsOfSomethingAndForSomebody) {
  const std::vector<std::size_t> tensors = {1};
  EXPECT_THROW(make_arena(tensors, {}, 0), InternalError);
  EXPECT_THROW(make_arena({}, {}, 1), InternalError);
  EXPECT_THROW(make_arena(tensors, {}, 1, 1), InternalError) << "nothing but what is awaited";
}

}  // namespace
}  // namespace regatta::exchange
