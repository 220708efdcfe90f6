#include "regatta/stats/quantiles.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

namespace regatta::stats {
namespace {

/// So many calls of 1, 2, 3, ... s, so many to a slice and slices to a process, in an order that mixes long and short.
std::vector<Call> mixed_calls(std::size_t count, std::size_t of_slice, std::size_t of_process = 1'000'000) {
  std::vector<Call> calls;
  for (std::size_t i = 0; i < count; ++i) {
    const auto slice = static_cast<std::uint32_t>(i / of_slice);
    const double seconds = static_cast<double>(i * 7919 % count + 1);  // 7919 is prime to the counts below
    calls.push_back({seconds, slice, slice / static_cast<std::uint32_t>(of_process)});
  }
  return calls;
}

TEST(SingleCalls, AreTheScoredSamplesOfOneCall) {
  const std::vector<Sample> samples = {{.slice = 0, .phase = Phase::first, .seconds = 9},
                                       {.slice = 1, .phase = Phase::warmup, .seconds = 8},
                                       {.slice = 2, .phase = Phase::reentry, .seconds = 7},
                                       {.slice = 2, .seconds = 1},
                                       {.slice = 2, .steps = 5, .seconds = 2},
                                       {.slice = 2, .rank = 1, .seconds = 3},
                                       {.slice = 3, .phase = Phase::first, .seconds = 9},
                                       {.slice = 4, .seconds = 4}};
  const auto calls = single_calls(samples, 1);
  ASSERT_EQ(calls.size(), 2U);
  EXPECT_EQ(calls[0].seconds, 1);
  EXPECT_EQ(calls[0].process, 0U);
  EXPECT_EQ(calls[1].slice, 4U);
  EXPECT_EQ(calls[1].process, 1U);
  const auto of_five = single_calls(samples, 5);
  ASSERT_EQ(of_five.size(), 1U) << "steps_per_call: five steps are one call";
  EXPECT_EQ(of_five[0].seconds, 2);
}

TEST(CallQuantile, NeedsTenCallsBeyondItAndSlices) {
  EXPECT_EQ(needs_of(0.5).calls, 20U);
  EXPECT_EQ(needs_of(0.95).calls, 200U);
  EXPECT_EQ(needs_of(0.95).slices, 7U);
  EXPECT_EQ(needs_of(0.99).calls, 1000U) << "R14";
  EXPECT_EQ(needs_of(0.99).slices, 20U) << "R14";
  EXPECT_TRUE(call_quantile(mixed_calls(1000, 50), 0.99));
  EXPECT_FALSE(call_quantile(mixed_calls(999, 49), 0.99)) << "one call too few";
  EXPECT_FALSE(call_quantile(mixed_calls(1000, 53), 0.99)) << "19 slices";
  EXPECT_TRUE(call_quantile(mixed_calls(200, 25), 0.95));
  EXPECT_FALSE(call_quantile(mixed_calls(200, 34), 0.95)) << "6 slices";
  EXPECT_FALSE(call_quantile({}, 0.5));
}

TEST(CallQuantile, EndsAtOrderStatistics) {
  // 1000 calls in 1000 slices: as good as independent. With 1000 the binomial ranks of p95 are 935 (P(X < 935) = 0.014;
  // 936: 0.0175, 937: 0.0218, 938: 0.0268) and 964; Student's t with 999 degrees leaves 997 of them.
  const auto p95 = call_quantile(mixed_calls(1000, 1), 0.95);
  ASSERT_TRUE(p95);
  EXPECT_NEAR(p95->value, 950.65, 1e-9) << "(1000 + 1/3) 0.95 + 1/3";
  EXPECT_NEAR(p95->range.low, 936, 1);
  EXPECT_NEAR(p95->range.high, 964, 1);
  EXPECT_EQ(p95->range.low, std::round(p95->range.low)) << "an observed value";
}

TEST(CallQuantile, IsWiderWhereCallsOfASliceAreAlike) {
  std::vector<Call> calls;
  for (std::uint32_t i = 0; i < 2000; ++i) {
    const std::uint32_t slice = i / 50;
    calls.push_back({static_cast<double>(slice * 7 % 40) + 0.001 * (i % 50), slice, 0});
  }
  const auto clumped = call_quantile(calls, 0.5);
  for (std::uint32_t i = 0; i < 2000; ++i) calls[i].slice = i % 40;  // the same calls, dealt out
  const auto dealt = call_quantile(calls, 0.5);
  ASSERT_TRUE(clumped && dealt);
  EXPECT_DOUBLE_EQ(clumped->value, dealt->value);
  EXPECT_GT(clumped->range.high - clumped->range.low, 4 * (dealt->range.high - dealt->range.low));
}

TEST(CallQuantile, IsNotGivenWhereClumpsSayTooLittle) {
  std::vector<Call> calls;  // 21 slices, of which one is slow: a single event among 21
  for (std::uint32_t i = 0; i < 2100; ++i) calls.push_back({i / 100 == 5 ? 9.0 : 1.0, i / 100, 0});
  EXPECT_FALSE(call_quantile(calls, 0.95));
  EXPECT_TRUE(call_quantile(calls, 0.5));
}

TEST(CallQuantile, TakesProcessesForReplicatesWhereThereAreSeven) {
  std::vector<Call> calls = mixed_calls(2100, 50, 3);  // 14 processes of three slices
  for (Call& call : calls) call.seconds += call.process % 2 == 0 ? 0 : 1000;
  const auto found = call_quantile(calls, 0.5);
  for (Call& call : calls) call.process = 0;
  const auto of_slices = call_quantile(calls, 0.5);
  ASSERT_TRUE(found && of_slices);
  EXPECT_GT(found->range.high - found->range.low, 1.3 * (of_slices->range.high - of_slices->range.low));
}

TEST(CallQuantile, OfTiesIsTheTie) {
  std::vector<Call> calls(1000, Call{.seconds = 2e-5});
  for (std::uint32_t i = 0; i < 1000; ++i) calls[i].slice = i / 40;
  const auto p99 = call_quantile(calls, 0.99);
  ASSERT_TRUE(p99);
  EXPECT_EQ(p99->value, 2e-5);
  EXPECT_EQ(p99->range, (Range{2e-5, 2e-5}));
}

TEST(MedianUnbiasedQuantile, LeansOutwardsByAThirdOfARank) {
  std::vector<double> values(20);
  std::iota(values.begin(), values.end(), 1.0);
  EXPECT_NEAR(median_unbiased_quantile(values, 0.95), 19.65, 1e-9) << "(20 + 1/3) 0.95 + 1/3";
  EXPECT_NEAR(median_unbiased_quantile(values, 0.5), 10.5, 1e-9);
  EXPECT_EQ(median_unbiased_quantile({3}, 0.99), 3);
  EXPECT_EQ(median_unbiased_quantile({3, 4}, 0.99), 4);
  EXPECT_TRUE(std::isnan(median_unbiased_quantile({}, 0.5)));
  EXPECT_EQ(fewest_calls_of_unit(0.95), 20U);
  EXPECT_EQ(fewest_calls_of_unit(0.99), 100U);
}

}  // namespace
}  // namespace regatta::stats
