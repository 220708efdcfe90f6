#include "regatta/exchange/member_watch.hpp"

#include <gtest/gtest.h>

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

TEST(MemberWatch, IsOfAMemberOnly) {
  const Stop stop;
  EXPECT_THROW(MemberWatch(stop.path()), InternalError);
}

}  // namespace
}  // namespace regatta::exchange
