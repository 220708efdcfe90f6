#include "regatta/base/log_histogram.hpp"

#include <gtest/gtest.h>

#include <limits>

namespace regatta {
namespace {

TEST(LogHistogram, KeepsSmallCountsApart) {
  LogHistogram counts;
  for (int value = 1; value <= 31; ++value) counts.add(value);
  EXPECT_EQ(counts.count(), 31U);
  EXPECT_EQ(counts.quantile(0.5), 16);
  EXPECT_EQ(counts.quantile(1), 31);
  EXPECT_EQ(counts.quantile(0), 1);
}

TEST(LogHistogram, RoundsQuantilesDownByASixteenthAtMost) {
  LogHistogram seconds;
  for (double value = 2e-6; value < 1e5; value *= 1.7) {
    LogHistogram one;
    one.add(value);
    EXPECT_LE(one.quantile(0.5), value);
    EXPECT_GE(one.quantile(0.5), value * 15 / 16);
    seconds.add(value);
  }
  EXPECT_LE(seconds.quantile(0.5), seconds.quantile(0.99));
  EXPECT_LE(seconds.quantile(0.99), seconds.most());
}

TEST(LogHistogram, TellsTheRareFromTheUsual) {
  LogHistogram lags;
  for (int i = 0; i < 985; ++i) lags.add(0.25);
  for (int i = 0; i < 15; ++i) lags.add(8);
  EXPECT_EQ(lags.quantile(0.5), 0.25);
  EXPECT_EQ(lags.quantile(0.98), 0.25);
  EXPECT_EQ(lags.quantile(0.99), 8);
  EXPECT_EQ(lags.most(), 8);
}

TEST(LogHistogram, HasAPlaceForWhateverComes) {
  LogHistogram odd;
  EXPECT_EQ(odd.quantile(0.5), 0);
  for (const double value : {0.0, -1.0, 1e-12, std::numeric_limits<double>::quiet_NaN()}) odd.add(value);
  EXPECT_EQ(odd.quantile(1), 0);
  odd.add(1e300);
  odd.add(std::numeric_limits<double>::infinity());
  EXPECT_EQ(odd.count(), 6U);
  EXPECT_GT(odd.quantile(1), 1e5);
}

}  // namespace
}  // namespace regatta
