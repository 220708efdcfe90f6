#include "exchange/mirror.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <cstring>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/exchange/shared_memory.hpp"

namespace regatta::exchange {
namespace {

constexpr std::size_t page_blocks = page_bytes / 512;  // as stat counts them

Arena some_arena(std::size_t ranks) {
  return make_arena(std::vector<std::size_t>{700, 300'000, 5}, {.bytes = 0}, ranks);
}

std::size_t blocks_of(int fd) {
  struct stat found {};
  EXPECT_EQ(::fstat(fd, &found), 0);
  return static_cast<std::size_t>(found.st_blocks);
}

TEST(Mirror, MemberTellsItsBuckets) {
  for (const std::size_t ranks : {1, 2, 8}) {
    Arena arena = some_arena(ranks);
    arena.states = ranks / 2;
    const Arena found = arena_of_member(Member(arena).fd());
    EXPECT_EQ(found.ranks, ranks);
    EXPECT_EQ(found.elements, arena.elements);
    EXPECT_EQ(found.buckets, arena.buckets);
    EXPECT_EQ(found.states, arena.states);
  }
}

TEST(Mirror, ManyBucketsThatFillPages) {
  for (const std::size_t tensors : {169, 170, 171, 400}) {  // the table with its end just fits a page, or does not
    const Arena arena = make_arena(std::vector<std::size_t>(tensors, 10), {.bytes = 0}, 2);
    EXPECT_EQ(arena_of_member(Member(arena).fd()).buckets, arena.buckets) << tensors;
  }
}

TEST(Mirror, IsLaidOutAsTheMember) {
  const Arena arena = some_arena(4);
  EXPECT_EQ(arena_of_member(Mirror(arena, 1).fd()).buckets, arena.buckets);
}

TEST(Mirror, TakesNoMemoryForPartsOfOthers) {
  const Arena arena = make_arena(std::vector<std::size_t>{4'000'000}, {}, 4);
  const std::size_t whole = blocks_of(Member(arena).fd());
  EXPECT_LT(blocks_of(Mirror(arena, 1).fd()), whole / 2 + page_blocks);
}

TEST(Mirror, RefusesWhatDoesNotFit) {
  const Arena arena = some_arena(2);
  const MemberLayout layout(arena);
  const auto spoilt = [&](std::size_t from_end, std::uint64_t value) {
    const Member member(arena);
    std::memcpy(member.memory() + layout.bytes - from_end, &value, sizeof value);
    EXPECT_THROW(arena_of_member(member.fd()), InternalError) << from_end << " " << value;
  };
  spoilt(32, 0);                        // the mark
  spoilt(24, 0);                        // ranks
  spoilt(24, 4);                        // buckets were not cut for so many
  spoilt(16, 0);                        // buckets
  spoilt(16, 2);                        // fewer than take the memory
  spoilt(16, std::uint64_t{1} << 60U);  // more than it holds
  spoilt(8, 1);                         // states
  spoilt(8, std::uint64_t{1} << 60U);
  const std::size_t table = layout.bytes - layout.buckets;
  spoilt(table, 4096);           // where the first begins
  spoilt(table - 8, 1U << 30U);  // its elements
  spoilt(table - 16, 1);         // its slice is no page
  spoilt(table - 16, ~std::uint64_t{0} / 4096 * 4096);
  // Slices that fill the memory and no pages.
  Arena crooked = arena;
  crooked.buckets[0].slice += 1;
  crooked.buckets[1].slice -= 1;
  crooked.buckets[1].first += 2;
  const Member member(arena);
  describe(crooked, layout, member.memory());
  EXPECT_THROW(arena_of_member(member.fd()), InternalError);
  const UniqueFd foreign = make_shared_memory("regatta-test", 64);
  EXPECT_THROW(arena_of_member(foreign.get()), InternalError);
}

}  // namespace
}  // namespace regatta::exchange
