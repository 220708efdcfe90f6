#include "regatta/stats/re_entry.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "regatta/base/random.hpp"

namespace regatta::stats {
namespace {

constexpr double delta = 0.01;

/// Six slices of 16 samples around 1 that scatter by `spread`, the first `unlike` of them `factor` times as long.
std::vector<std::vector<double>> slices(std::size_t unlike, double factor, double spread) {
  std::vector<std::vector<double>> made(6, std::vector<double>(16));
  for (std::size_t s = 0; s < made.size(); ++s) {
    for (std::size_t i = 0; i < made[s].size(); ++i) {
      const double noise = std::exp(spread * 2 * (static_cast<double>(random_unit(s, i)) - 0.5));
      made[s][i] = (i < unlike ? factor : 1) * noise * static_cast<double>(s + 1);
    }
  }
  return made;
}

TEST(ReEntry, HoldsStepsThatWerePrefetched) {
  EXPECT_EQ(unsettled_samples(slices(8, 1e-4, 0.05), delta), 8U);
  EXPECT_EQ(unsettled_samples(slices(5, 0.5, 0.05), delta), 5U);
}

TEST(ReEntry, HoldsStepsThatColdCachesSlow) { EXPECT_EQ(unsettled_samples(slices(3, 1.3, 0.005), delta), 3U); }

TEST(ReEntry, IsEmptyWhereNothingDiffers) {
  EXPECT_EQ(unsettled_samples(slices(0, 1, 0.001), delta), 0U);
  EXPECT_LE(unsettled_samples(slices(0, 1, 0.3), delta), 1U);
}

TEST(ReEntry, IgnoresDifferencesBelowDelta) { EXPECT_EQ(unsettled_samples(slices(8, 1.005, 0), delta), 0U); }

TEST(ReEntry, GoesOverOneSettledSampleButNotOverTwo) {
  auto made = slices(6, 2, 0.01);
  for (auto& slice : made) slice[2] /= 2;
  EXPECT_EQ(unsettled_samples(made, delta), 6U);
  for (auto& slice : made) slice[3] /= 2;
  EXPECT_EQ(unsettled_samples(made, delta), 2U);
}

TEST(ReEntry, ReachesTheMiddleOfSlicesThatGetFasterToTheirEnd) {
  std::vector<std::vector<double>> falling(6);
  for (auto& slice : falling) {
    for (int i = 0; i < 10; ++i) slice.push_back(std::exp(-i));
  }
  EXPECT_GE(unsettled_samples(falling, delta), 5U);
}

TEST(ReEntry, LooksAtPositionsThatAllSlicesHave) {
  EXPECT_EQ(unsettled_samples({}, delta), 0U);
  EXPECT_EQ(unsettled_samples(std::vector<std::vector<double>>{{1}, {1, 2, 3}}, delta), 0U);
}

}  // namespace
}  // namespace regatta::stats
