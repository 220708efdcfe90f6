#include "stats/contrast_blocks.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::stats {
namespace {

SliceValue slice(std::uint32_t square, std::uint32_t position, std::uint32_t process = 0) {
  return {.seconds = 1, .process = process, .square = square, .position = position};
}

TEST(CompleteSquares, HaveBothArmsAtEveryPositionEquallyOften) {
  const auto count = [](std::vector<SliceValue> a, std::vector<SliceValue> b) {
    return complete_squares({std::move(a), std::move(b)}).size();
  };
  EXPECT_EQ(count({slice(0, 0), slice(0, 1)}, {slice(0, 1), slice(0, 0)}), 1U);
  EXPECT_EQ(count({slice(0, 0)}, {slice(0, 1)}), 0U) << "a always first";
  EXPECT_EQ(count({slice(0, 0), slice(0, 1)}, {slice(0, 1), slice(0, 2)}), 0U) << "a before b";
  EXPECT_EQ(count({slice(0, 0), slice(0, 1)}, {}), 0U);
  EXPECT_EQ(count({slice(4, 0), slice(9, 0)}, {slice(9, 0), slice(4, 0)}), 2U) << "positions not known";
}

TEST(CompleteSquares, AreInTheOrderOfTheirNumbersAndKnowDisturbances) {
  ContrastSlices contrast{{slice(2, 0), slice(1, 0)}, {slice(1, 0), slice(2, 0)}};
  contrast.a[0].seconds = 3;
  contrast.b[1].flags = 4;
  const auto squares = complete_squares(contrast);
  ASSERT_EQ(squares.size(), 2U);
  EXPECT_EQ(log_ratio(squares[0]), 0);
  EXPECT_FALSE(squares[0].disturbed);
  EXPECT_NEAR(log_ratio(squares[1]), std::log(3), 1e-12);
  EXPECT_TRUE(squares[1].disturbed);
}

TEST(CompleteSquares, NumberPairsWhereBothProcessesAreNew) {
  ContrastSlices contrast;
  const std::vector<std::uint32_t> of_a = {0, 1, 2, 2, 3};
  const std::vector<std::uint32_t> of_b = {0, 0, 1, 2, 3};
  for (std::uint32_t square = 0; square < 5; ++square) {
    contrast.a.push_back(slice(square, 0, of_a[square]));
    contrast.b.push_back(slice(square, 0, of_b[square]));
  }
  std::vector<std::size_t> pairs;
  for (const Block& block : complete_squares(contrast)) pairs.push_back(block.pair);
  EXPECT_EQ(pairs, (std::vector<std::size_t>{0, 0, 1, 1, 2}));
}

TEST(ClosedPairs, OfPairsTakeTotalsOfTheirSquares) {
  std::vector<Block> squares;
  for (std::size_t i = 0; i < 14; ++i) {
    Block block;
    block.pair = i / 2;
    block.a = {.seconds = i % 2 == 0 ? 1.0 : 3.0, .work = 1, .slices = 1};
    block.b = {.seconds = 1, .work = 1, .slices = 1};
    squares.push_back(block);
  }
  const auto pairs = closed_pairs(squares);
  ASSERT_EQ(pairs.size(), 7U);
  EXPECT_NEAR(log_ratio(pairs[0].total), std::log(2), 1e-12);  // (1 + 3) / 2
  EXPECT_NEAR(typical_log_ratio(pairs[0]), std::log(3) / 2, 1e-12) << "the median of both squares";
  squares.resize(13);
  EXPECT_EQ(closed_pairs(squares).size(), 6U) << "the last one is not closed";
}

TEST(WithinVariance, IsThatOfTheMeanOfAPairsSquares) {
  std::vector<Block> squares;
  for (std::size_t i = 0; i < 8; ++i) {
    Block block;
    block.pair = i / 4;
    block.a = {.seconds = i % 2 == 0 ? 1.1 : 0.9, .work = 1, .slices = 1};
    block.b = {.seconds = 1, .work = 1, .slices = 1};
    squares.push_back(block);
  }
  const auto pairs = closed_pairs(squares);
  // Squares are 0.1 off their pair; three of four are free, and a pair has four.
  EXPECT_NEAR(within_variance(pairs), rules::neighbours_alike * 0.01 * 4 / 3 / 4, 1e-9);
  for (Block& square : squares) square.a.quantile = 0.95;
  EXPECT_EQ(within_variance(std::vector<Pair>{{squares[0], {squares[0], squares[1]}}}), 0) << "quantiles show it";
}

TEST(MedianStepsLogRatio, IsUnknownIfOneSliceHasNoMedian) {
  Block block;
  block.a = {.seconds = 1, .work = 1, .median_step_seconds = 6, .slices = 2};
  block.b = {.seconds = 1, .work = 1, .median_step_seconds = 2, .slices = 2};
  EXPECT_NEAR(median_steps_log_ratio(block), std::log(3), 1e-12);
  block.a.medians_known = false;
  EXPECT_TRUE(std::isnan(median_steps_log_ratio(block)));
}

/// Squares whose arms have so many calls each: of a 1, 2, 3, ... s and of b half of that.
std::vector<Block> squares_of_calls(const std::vector<std::size_t>& calls, double quantile) {
  ContrastSlices contrast;
  for (std::uint32_t square = 0; square < calls.size(); ++square) {
    SliceValue a = slice(square, 0), b = slice(square, 0);
    a.process = b.process = square;
    a.quantile = b.quantile = quantile;
    for (std::size_t i = 1; i <= calls[square]; ++i) {
      a.calls.push_back(static_cast<double>(i));
      b.calls.push_back(static_cast<double>(i) / 2);
    }
    contrast.a.push_back(a);
    contrast.b.push_back(b);
  }
  return complete_squares(contrast);
}

TEST(ClosedPairs, OfAQuantileAreRatiosOfQuantilesOfSingleCalls) {
  const auto units = closed_pairs(squares_of_calls({20, 40}, 0.95));
  ASSERT_EQ(units.size(), 2U);
  EXPECT_NEAR(log_ratio(units[0].total), std::log(2), 1e-12) << "not that of elapsed time, which is 1";
  EXPECT_TRUE(std::isnan(median_steps_log_ratio(units[0].total))) << "it is no figure of steps";
}

TEST(ClosedPairs, OfAQuantileAreJoinedUntilBothArmsHaveEnoughCalls) {
  const auto units = closed_pairs(squares_of_calls({9, 10, 5, 20, 3}, 0.95));
  ASSERT_EQ(units.size(), 2U) << "9 + 10 are too few for p95, with 5 more they are enough, as 20 are; 3 are left";
  EXPECT_EQ(units[0].total.a.calls.size(), 24U);
  EXPECT_EQ(closed_pairs(squares_of_calls({9, 10, 5, 20, 3}, 0.5)).size(), 5U) << "of p50 two are enough";
}

TEST(CompleteSquares, WithoutSingleCallsHaveNoQuantile) {
  EXPECT_TRUE(squares_of_calls({0, 0, 0}, 0.95).empty()) << "samples of several calls tell none";
}

}  // namespace
}  // namespace regatta::stats
