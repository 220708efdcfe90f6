#include "regatta/stats/carry_over.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

std::vector<SliceValue> slices(std::size_t n, double first, double last) {
  return std::vector<SliceValue>(n, {.first_quarter = first, .last_quarter = last});
}

TEST(QuartersInterval, IsOfTheLogOfFirstOverLast) {
  const auto range = quarters_interval(slices(7, 1.2, 1.0), 0.05);
  EXPECT_NEAR(range.low, std::log(1.2), 1e-12);
  EXPECT_NEAR(range.high, std::log(1.2), 1e-12);
  EXPECT_FALSE(quarters_interval(slices(6, 1.2, 1.0), 0.05).finite());
  EXPECT_FALSE(quarters_interval(slices(9, 0, 0), 0.05).finite()) << "unknown";
}

TEST(CarriesOver, NeedsTheWholeIntervalBeyondDelta) {
  EXPECT_TRUE(carries_over(slices(8, 1.05, 1), 0.01, 0.05));
  EXPECT_TRUE(carries_over(slices(8, 1, 1.05), 0.01, 0.05)) << "a filled queue makes the beginning faster";
  EXPECT_FALSE(carries_over(slices(8, 1.005, 1), 0.01, 0.05));
  auto mixed = slices(8, 1.05, 1);
  mixed[3].first_quarter = 1;
  EXPECT_FALSE(carries_over(mixed, 0.01, 0.05));
}

TEST(Judge, FlagsCarryOverOfEitherArm) {
  ContrastSlices contrast;
  for (std::uint32_t square = 0; square < 8; ++square) {
    contrast.a.push_back({.seconds = 1, .process = square, .square = square, .first_quarter = 1, .last_quarter = 1});
  }
  contrast.b = contrast.a;
  EXPECT_FALSE(judge(contrast, {}).has(JudgementFlag::carry_over));
  for (SliceValue& slice : contrast.b) slice.first_quarter = 1.1;
  EXPECT_TRUE(judge(contrast, {}).has(JudgementFlag::carry_over));
}

}  // namespace
}  // namespace regatta::stats
