#include "regatta/stats/resolution.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <vector>

namespace regatta::stats {
namespace {

Known known_of(const std::vector<double>& pairs) {
  const Judgement judgement = judge_units(pairs, {});
  return {judgement.estimate, {judgement.low, judgement.high}, judgement.pairs};
}

TEST(Resolution, IsTheDifferenceThatWouldHaveBeenTold) {
  const Known known{0.05, {0.03, 0.06}, moments_of(std::vector<double>{0.05, 0.05}, 0)};
  EXPECT_NEAR(resolution_of(known, {}, 20), std::expm1(std::log(1.01) + 0.02), 1e-12) << "the longer half";
  EXPECT_TRUE(std::isinf(resolution_of({0, {}, {}}, {}, 20)));
}

TEST(Resolution, IsWorseWhereMoreEvidenceIsNeededOrCallsAreNoLine) {
  const Known known = known_of({0.05, 0.052, 0.049});
  EXPECT_GT(resolution_of(known, {}, 2000), resolution_of(known, {}, 20));
  EXPECT_GT(resolution_of(known, {.call_length_misfit = 0.1}, 20), 0.1);
}

TEST(PairsFor, AreMoreForASmallerDifferenceAndNoneWithinTheMargin) {
  const Known known = known_of({0.01, 0.03, 0.02});
  const auto coarse = pairs_for(0.10, known, {}, 20), fine = pairs_for(0.03, known, {}, 20);
  ASSERT_TRUE(coarse && fine);
  EXPECT_LT(*coarse, *fine);
  EXPECT_FALSE(pairs_for(0.01, known, {}, 20)) << "the margin itself";
  EXPECT_FALSE(pairs_for(0.1, known_of({-2, 2, 0}), {}, 20)) << "nobody waits for so many";
  EXPECT_GE(*pairs_for(5, known, {}, 20), 2U) << "a verdict needs two";
}

TEST(UsualTarget, IsTwiceTheMarginAndTwoPercentAtLeast) {
  EXPECT_EQ(usual_target({.margin = 0.001}), 0.02);
  EXPECT_EQ(usual_target({.margin = 0.05}), 0.1);
}

/// Bar B9: after 3 pairs, how many are foretold for a resolution of 3 %, and how many it takes.
TEST(PairsFor, AreAboutAsManyAsItTakes) {
  constexpr double target = 0.03;
  std::mt19937_64 random(4);
  for (const double spread : {.003, .005, .01, .02}) {
    std::normal_distribution<double> pair(0, spread);
    std::vector<double> foretold, taken;
    for (int draw = 0; draw < 60; ++draw) {
      std::vector<double> pairs;
      for (int i = 0; i < 3; ++i) pairs.push_back(pair(random));
      foretold.push_back(static_cast<double>(pairs_for(target, known_of(pairs), {}, 20).value_or(200)));
      PairSequence sequence(0.05, {});
      double n = 0;
      for (double resolution = 1; resolution > target && n < 200;) {
        sequence.add(n < 3 ? pairs[static_cast<std::size_t>(n)] : pair(random), 0);
        ++n;
        const std::vector<double>& sorted = sequence.sorted();
        const double middle = std::clamp(sorted[sorted.size() / 2], sequence.latest().low, sequence.latest().high);
        resolution = resolution_of({middle, sequence.latest(), sequence.moments()}, {}, 20);
      }
      taken.push_back(n);
    }
    std::ranges::sort(foretold);
    std::ranges::sort(taken);
    const double ratio = foretold[30] / taken[30];
    EXPECT_GE(ratio, 0.7) << spread;
    EXPECT_LE(ratio, 1.5) << spread;
  }
}

}  // namespace
}  // namespace regatta::stats
