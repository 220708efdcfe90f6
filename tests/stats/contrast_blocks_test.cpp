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

TEST(Replicates, OfPairsTakeTotalsOfTheirSquares) {
  std::vector<Block> squares;
  for (std::size_t i = 0; i < 14; ++i) {
    Block block;
    block.pair = i / 2;
    block.a = {.seconds = i % 2 == 0 ? 1.0 : 3.0, .work = 1, .slices = 1};
    block.b = {.seconds = 1, .work = 1, .slices = 1};
    squares.push_back(block);
  }
  const auto units = replicates(squares);
  EXPECT_FALSE(units.widened);
  ASSERT_EQ(units.blocks.size(), 7U);
  EXPECT_NEAR(log_ratio(units.blocks[0]), std::log(2), 1e-12);  // (1 + 3) / 2
  squares.resize(12);
  EXPECT_TRUE(replicates(squares).widened);
  EXPECT_EQ(replicates(squares).process_pairs, 6U);
}

TEST(MedianStepsLogRatio, IsUnknownIfOneSliceHasNoMedian) {
  Block block;
  block.a = {.seconds = 1, .work = 1, .median_step_seconds = 6, .slices = 2};
  block.b = {.seconds = 1, .work = 1, .median_step_seconds = 2, .slices = 2};
  EXPECT_NEAR(median_steps_log_ratio(block), std::log(3), 1e-12);
  block.a.medians_known = false;
  EXPECT_TRUE(std::isnan(median_steps_log_ratio(block)));
}

}  // namespace
}  // namespace regatta::stats
