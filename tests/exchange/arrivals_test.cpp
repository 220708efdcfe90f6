#include "regatta/exchange/arrivals.hpp"

#include <gtest/gtest.h>

namespace regatta::exchange {
namespace {

TEST(Arrivals, SayWhoIsWaitedForAndHowLong) {
  Arrivals arrivals(2, 2);
  arrivals.add(0, Arrival{1000, 1500, 1600, 1});
  arrivals.add(1, Arrival{2000, 4000, 4300, 1});
  arrivals.add(0, Arrival{11000, 11100, 11200, 0});
  arrivals.add(1, Arrival{13000, 14000, 14100, 1});
  const BucketArrivals& last = arrivals.buckets()[1];
  EXPECT_EQ(last.steps, 2);
  EXPECT_DOUBLE_EQ(last.begin_seconds, 3e-6);
  EXPECT_DOUBLE_EQ(last.spread_seconds, 3e-6);
  EXPECT_DOUBLE_EQ(last.sum_seconds, 4e-7);
  EXPECT_EQ(arrivals.buckets()[0].last_of_rank, (std::vector<std::int64_t>{1, 1}));
  const auto slowest = straggler(arrivals);
  ASSERT_TRUE(slowest);
  EXPECT_EQ(slowest->rank, 1U);
  EXPECT_DOUBLE_EQ(slowest->share, 0.75);
  EXPECT_DOUBLE_EQ(slowest->spread_seconds, 1.5e-6);
}

TEST(Arrivals, LeaveOutStepsThatWereNotSeenFromTheirBegin) {
  Arrivals arrivals(2, 2);
  arrivals.add(0, std::nullopt);
  arrivals.add(1, Arrival{2000, 4000, 4300, 1});
  EXPECT_EQ(arrivals.buckets()[1].steps, 0);
  EXPECT_FALSE(straggler(arrivals));
  EXPECT_FALSE(straggler(Arrivals()));
}

}  // namespace
}  // namespace regatta::exchange
