#include "regatta/stats/quantile_interval.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <numeric>

#include "regatta/base/random.hpp"

namespace regatta::stats {
namespace {

std::vector<double> up_to(std::size_t n) {
  std::vector<double> values(n);
  std::iota(values.begin(), values.end(), 1.0);
  return values;
}

TEST(QuantileInterval, OfTheMedianOfTenIsTheSecondToTheNinth) {
  // Binomial(10, 1/2): P(<= 1) = 11/1024 = 0.011, P(<= 2) = 0.055.
  const auto interval = quantile_interval(up_to(10), 0.5, 0.95);
  ASSERT_TRUE(interval);
  EXPECT_EQ(interval->value, 5.5);
  EXPECT_EQ(interval->range, (Range{2, 9}));
  EXPECT_EQ(quantile_interval(up_to(10), 0.5, 0.99)->range, (Range{1, 10}));  // P(0) = 0.00098 <= 0.005
}

TEST(QuantileInterval, NeedsValuesBeyondTheQuantile) {
  EXPECT_FALSE(quantile_interval(up_to(5), 0.5, 0.95));     // 2 / 32 > 0.05
  EXPECT_TRUE(quantile_interval(up_to(6), 0.5, 0.95));      // 2 / 64
  EXPECT_FALSE(quantile_interval(up_to(367), 0.99, 0.95));  // 0.99^367 = 0.02501
  EXPECT_TRUE(quantile_interval(up_to(368), 0.99, 0.95));
  EXPECT_FALSE(quantile_interval({}, 0.5, 0.95));
}

TEST(QuantileInterval, HoldsTheQuantileAsOftenAsItSays) {
  std::size_t held = 0;
  for (std::uint64_t run = 0; run < 1000; ++run) {
    std::vector<double> values;
    for (std::uint64_t i = 0; i < 100; ++i) values.push_back(random_unit(run, i));
    held += quantile_interval(values, 0.9, 0.95)->range.contains(0.9) ? 1 : 0;
  }
  EXPECT_GE(held, 940U);
  EXPECT_LE(held, 995U);
}

TEST(EnoughForQuantile, AsksTwentySlicesAndAThousandCallsOfP99) {
  EXPECT_TRUE(enough_for_quantile(0.99, 20, 1000));
  EXPECT_FALSE(enough_for_quantile(0.99, 19, 1000));
  EXPECT_FALSE(enough_for_quantile(0.99, 20, 999));
  EXPECT_TRUE(enough_for_quantile(0.5, 20, 20));
}

}  // namespace
}  // namespace regatta::stats
