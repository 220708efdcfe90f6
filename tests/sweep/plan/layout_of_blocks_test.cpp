// Which blocks there are is tested on whole plans (blocks_test, pairs_test); here how they are held.
#include "sweep/plan/layout_of_blocks.hpp"

#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(Arrangement, HoldsTheArmsOfEachBlock) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [1, 2]},
    "exclude": [{"mode": "graph", "batch": 2}], "compare": {"over": "mode", "baseline": {"mode": "graph"}})");
  const Points points(sweep);
  Kinds kinds(sweep, points);
  const Arrangement arrangement = arrange(sweep, points, kinds, expand(sweep, points, kinds));
  ASSERT_EQ(arrangement.blocks(), 2U);
  EXPECT_EQ(arrangement.arms_of(0).size(), 2U);
  EXPECT_EQ(arrangement.arms_of(0)[0], 2U);
  EXPECT_TRUE(arrangement.has_baseline[0]);
  EXPECT_EQ(arrangement.arms_of(1).size(), 1U);
  EXPECT_EQ(arrangement.arms_of(1)[0], 1U);
  EXPECT_FALSE(arrangement.has_baseline[1]);
  ASSERT_EQ(arrangement.no_contrasts.size(), 1U);
  EXPECT_EQ(arrangement.no_contrasts[0].trials, std::vector<std::uint32_t>{1});
  EXPECT_EQ(arrangement.no_contrasts[0].reason, "no baseline here: it is excluded");
}

TEST(Arrangement, WantsAtLeastThreeClonesAndOneForTenContrasts) {
  EXPECT_EQ(clones_wanted(1), 3U);
  EXPECT_EQ(clones_wanted(30), 3U);
  EXPECT_EQ(clones_wanted(31), 4U);
}

}  // namespace
}  // namespace regatta::sweep
