#include <gtest/gtest.h>

#include <cmath>

#include "analysis/judging/judging.hpp"

namespace regatta::analysis {
namespace {

stats::SliceValue slice(std::uint32_t process, std::uint32_t square, double seconds) {
  stats::SliceValue value;
  value.process = process;
  value.square = square;
  value.seconds = seconds;
  return value;
}

TEST(ProcessPairs, CompareTotalsOfProcessesThatBothArmsHave) {
  const auto pairs = process_pairs({slice(0, 0, 1), slice(0, 1, 3), slice(1, 2, 5), slice(2, 3, 1)},
                                   {slice(0, 0, 1), slice(0, 1, 1), slice(1, 2, 5)});
  ASSERT_EQ(pairs.size(), 2U);
  EXPECT_NEAR(pairs[0].log_ratio, std::log(2), 1e-12);
  EXPECT_EQ(pairs[0].squares, 2);
  EXPECT_NEAR(pairs[1].log_ratio, 0, 1e-12);
  EXPECT_EQ(pairs[1].squares, 1);
}

TEST(ProcessPairs, ShareASquare) {
  const auto pairs = process_pairs({slice(0, 0, 1), slice(1, 1, 1)}, {slice(0, 0, 1), slice(1, 2, 1)});
  EXPECT_EQ(pairs.size(), 1U);
}

}  // namespace
}  // namespace regatta::analysis
