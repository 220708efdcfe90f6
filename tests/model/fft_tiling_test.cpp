#include "regatta/model/fft_tiling.hpp"

#include <gtest/gtest.h>

#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

TEST(FftTiling, TakesAStrideAsColumnsAndCoversAllPositions) {
  const ConvolutionSize size{.channels = 16, .positions = 100, .filters = 128, .taps = 399, .stride = 4};
  const auto tiling = fft_tiling(size);
  ASSERT_TRUE(tiling);
  EXPECT_EQ(tiling->columns, 64);
  EXPECT_EQ(tiling->taps, 100);
  EXPECT_EQ(tiling->points, 256) << "one tile: 199 rows of the input";
  EXPECT_EQ(tiling->positions, 157);
  EXPECT_EQ(tiling->tiles, 1);
}

TEST(FftTiling, CutsLongInputs) {
  const auto tiling = fft_tiling({64, 14000, 64, 100, 1});
  ASSERT_TRUE(tiling);
  EXPECT_GT(tiling->tiles, 1);
  EXPECT_GE(tiling->tiles * tiling->positions, 14000);
  EXPECT_LT((tiling->tiles - 1) * tiling->positions, 14000);
}

TEST(FftTiling, IsNotTakenWhereItSavesNothing) {
  EXPECT_FALSE(fft_tiling({256, 100, 256, 3, 1})) << "few taps";
  EXPECT_FALSE(fft_tiling({256, 1, 256, 40, 1})) << "one position";
  EXPECT_FALSE(fft_tiling({16, 100000, 16, 2 * most_fft_points, 1})) << "no transform holds the taps";
}

TEST(FftTiling, IsOfNetworksWithAConvolutionOfManyTaps) {
  const auto has = [](const char* name, std::int64_t length) {
    return has_fft_convolution(std::get<Network>(*find_model(name, length)));
  };
  EXPECT_TRUE(has("conv1d-medium", 140));
  EXPECT_TRUE(has("conv1d-question", 140));
  EXPECT_FALSE(has("mlp-784", 140));
  EXPECT_FALSE(has("cnn-28", 140));
}

}  // namespace
}  // namespace regatta::model
