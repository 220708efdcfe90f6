#include "regatta/exchange/member_watch.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/exchange/shared_memory.hpp"

namespace regatta::exchange {
namespace {

TEST(MemberWatch, SeesWhichBucketARankWritesNext) {
  const std::vector<std::size_t> tensors = {700, 3000, 5};
  const Arena arena = make_arena(tensors, {.bytes = 0}, 1);
  Member member(arena);
  const MemberWatch watch(member.path());
  EXPECT_EQ(watch.buckets(), 3U);
  const std::vector<int> fds = {member.fd()};
  const Stop stop;
  const auto communicator = make_shared_memory_communicator(arena, 0, std::move(member), fds, stop.fd());
  for (const std::uint64_t step : {1U, 2U}) {
    for (std::size_t bucket = 0; bucket < 3; ++bucket) {
      EXPECT_EQ(watch.standing(), (Standing{step, bucket}));
      communicator->ready(bucket);
    }
  }
  EXPECT_EQ(watch.standing(), (Standing{3, 0}));
}

/// Ranks whose words for the first of two buckets are these.
std::vector<MemberWatch> ranks_at(const std::vector<std::uint64_t>& steps) {
  const std::vector<std::size_t> tensors = {700, 3000};
  const Arena arena = make_arena(tensors, {.bytes = 0}, steps.size());
  std::vector<MemberWatch> watches;
  for (const std::uint64_t step : steps) {
    const Member member(arena);
    watches.emplace_back(member.path());
    std::memcpy(member.memory(), &step, sizeof step);
  }
  return watches;
}

TEST(MemberWatch, FindsWordsThatWereWrittenOver) {
  EXPECT_EQ(written_over(ranks_at({7, 7, 7})), std::nullopt);
  EXPECT_EQ(written_over(ranks_at({7, 8, 7})), std::nullopt) << "one may be a step ahead";
  EXPECT_EQ(written_over(ranks_at({1 << 20, 7, 7})), 0U);
  EXPECT_EQ(written_over(ranks_at({7, 7, 9})), 2U);
  EXPECT_EQ(written_over(ranks_at({1 << 20})), std::nullopt) << "nobody to compare it with";
  const auto wild = ranks_at({7, 1 << 20});
  EXPECT_EQ(wild[1].furthest(), (Standing{1 << 20, 0}));
  EXPECT_EQ(written_over_text(1, wild[1].furthest(), 8),
            "rank 1 says that it is at step 1048576 of bucket 0 while the others are at step 8. A wild store in its "
            "process wrote over its control words");
}

TEST(MemberWatch, IsOfAMemberOnly) {
  const Stop stop;
  EXPECT_THROW(MemberWatch(stop.path()), InternalError);
}

}  // namespace
}  // namespace regatta::exchange
