// How tiled products are cut.
#include "engine/cuda/tiled/plan.hpp"

#include <gtest/gtest.h>

namespace regatta::engine::cuda {
namespace {

constexpr int kSquare = 1;  // some 264 blocks of square tiles
constexpr int kLarge = 10;  // some 264 of large ones
constexpr int kDeep = 13;   // some 264 of deep ones

TEST(TiledPlan, PartsHoldAllTermsOnceInEachWay) {
  for (int way = 0; way < kTiledWays; ++way) {
    for (const std::int64_t terms : {0, 1, 15, 16, 127, 128, 129, 1200, 5120, 21632}) {
      for (const std::int64_t rows : {1, 64, 65, 1120, 11200}) {
        const TiledPlan plan = tiled_plan(rows, 128, terms, way);
        EXPECT_GE(plan.parts, 1);
        EXPECT_GE(std::int64_t{plan.parts} * plan.of_part, terms);
        EXPECT_LT((std::int64_t{plan.parts} - 1) * plan.of_part, std::max<std::int64_t>(terms, 1)) << "none is empty";
      }
    }
  }
}

TEST(TiledPlan, FewTilesAreSharedByManyBlocks) {
  EXPECT_EQ(tiled_plan(11200, 128, 1200, kSquare).parts, 1);
  const TiledPlan few = tiled_plan(1120, 128, 1200, kSquare);
  EXPECT_EQ(few.tile, TileKind::square);
  EXPECT_EQ(few.tiles, 18 * 2);
  EXPECT_EQ(few.parts, 7);
  EXPECT_EQ(few.scratch_bytes(), std::int64_t{36} * 7 * 64 * 64 * 4);
  EXPECT_EQ(tiled_plan(1120, 128, 1200, kSquare + 1).parts, 13) << "twice as many, of whole slabs";
}

TEST(TiledPlan, ShortSumsAreNotCut) { EXPECT_EQ(tiled_plan(64, 64, 127, kSquare).parts, 1); }

TEST(TiledPlan, TheLastBlockAddsSoManySumsAtMost) {
  EXPECT_EQ(tiled_plan(64, 64, 1'000'000, kSquare).parts, 32);
  EXPECT_EQ(tiled_plan(9, 32, 1'000'000, kSquare).parts, 132);
  EXPECT_EQ(tiled_plan(30, 16, 1'000'000, kSquare).parts, 132);
  EXPECT_EQ(tiled_plan(128, 128, 1'000'000, kLarge).parts, 8);
}

TEST(TiledPlan, PartsAreWholeSlabsOfTheTile) {
  for (int way = 0; way < kTiledWays; ++way) {
    const TiledPlan plan = tiled_plan(130, 30, 21632, way);
    EXPECT_EQ(plan.of_part % size_of(plan.tile).depth, 0) << way;
  }
}

TEST(TiledPlan, SmallProductsAreCutWhereTheirSumsAreLong) {
  EXPECT_EQ(small_product_plan(32, 64, 128).parts, 1);
  EXPECT_EQ(small_product_plan(32, 64, 128).tile, TileKind::few);
  EXPECT_EQ(small_product_plan(32, 128, 784).parts, 5) << "of whole slabs";
  EXPECT_EQ(small_product_plan(32, 10, 1600).parts, 9);
  EXPECT_EQ(small_product_plan(784, 128, 32).tile, TileKind::narrow);
}

TEST(TiledPlan, ManyRowsAndColumnsUsuallyTakeLargeTiles) {
  EXPECT_EQ(usual_way(4000, 4000), kLarge);
  EXPECT_EQ(usual_way(1120, 128), kDeep);
  const TiledPlan plan = tiled_plan(4000, 4000, 4000, kLarge);
  EXPECT_EQ(plan.tile, TileKind::large);
  EXPECT_EQ(plan.scratch_bytes(), 0);
}

}  // namespace
}  // namespace regatta::engine::cuda
