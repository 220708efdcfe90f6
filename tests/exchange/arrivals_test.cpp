#include "regatta/exchange/arrivals.hpp"

#include <gtest/gtest.h>

namespace regatta::exchange {
namespace {

TEST(Arrivals, SayWhoIsWaitedForAndHowLong) {
  Arrivals arrivals(2, 2);
  arrivals.add(0, Arrival{1000, 1500, 1600, 1}, {});
  arrivals.add(1, Arrival{2000, 4000, 4300, 1}, {});
  arrivals.add(0, Arrival{11000, 11100, 11200, 0}, {});
  arrivals.add(1, Arrival{13000, 14000, 14100, 1}, {});
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

/// Only the second step counts: the beginning of the first one is not known.
TEST(Arrivals, SayWhereTheTimeOfEachRankGoes) {
  Arrivals arrivals(1, 2);
  const std::vector<std::int64_t> first{1000, 1500}, second{2600, 2100};
  arrivals.add(0, Arrival{1000, 1500, 1600, 1}, first);
  arrivals.add(0, Arrival{2100, 2600, 2650, 0}, second);
  EXPECT_EQ(arrivals.whole_steps(), 1);
  EXPECT_DOUBLE_EQ(arrivals.ranks()[0].compute_seconds, 1e-6);
  EXPECT_DOUBLE_EQ(arrivals.ranks()[0].wait_seconds, 0);
  EXPECT_DOUBLE_EQ(arrivals.ranks()[1].compute_seconds, 5e-7);
  EXPECT_DOUBLE_EQ(arrivals.ranks()[1].wait_seconds, 5e-7);
  EXPECT_DOUBLE_EQ(arrivals.ranks()[1].exchange_seconds, 5e-8);

  Arrivals all;
  all.add(arrivals);
  all.add(arrivals);
  EXPECT_EQ(all.whole_steps(), 2);
  EXPECT_DOUBLE_EQ(all.ranks()[1].wait_seconds, 1e-6);
  all.add(0, Arrival{9100, 9600, 9650, 0}, second);
  EXPECT_EQ(all.whole_steps(), 2) << "slices do not follow each other";
}

TEST(Arrivals, LeaveOutStepsWithoutTheOneBefore) {
  Arrivals arrivals(1, 2);
  const std::vector<std::int64_t> ready{1000, 1500};
  arrivals.add(0, Arrival{1000, 1500, 1600, 1}, ready);
  arrivals.add(0, std::nullopt, ready);
  arrivals.add(0, Arrival{3000, 3500, 3600, 1}, ready);
  EXPECT_EQ(arrivals.whole_steps(), 0);
}

TEST(Arrivals, LeaveOutStepsThatWereNotSeenFromTheirBegin) {
  Arrivals arrivals(2, 2);
  arrivals.add(0, std::nullopt, {});
  arrivals.add(1, Arrival{2000, 4000, 4300, 1}, {});
  EXPECT_EQ(arrivals.buckets()[1].steps, 0);
  EXPECT_FALSE(straggler(arrivals));
  EXPECT_FALSE(straggler(Arrivals()));
}

}  // namespace
}  // namespace regatta::exchange
