#include "regatta/stats/pair_interval.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

constexpr double alpha = 0.05;

Range interval(std::vector<double> values, const SpreadPrior& prior = {}, double within = 0) {
  std::ranges::sort(values);
  return pairs_interval(values, moments_of(values, within), prior, alpha);
}

/// Averages over the hypotheses about the spread and the effect, worked out plainly.
double plain_e_value(const std::vector<double>& x, double theta, double within) {
  const SpreadPrior prior;
  double top = 0, bottom = 0;
  for (std::size_t k = 0; k < spread_levels.size(); ++k) {
    const double variance = spread_levels[k] * spread_levels[k] + within;
    double likelihood = prior.weights[k];
    for (const double each : x)
      likelihood *= std::exp(-(each - theta) * (each - theta) / (2 * variance)) / std::sqrt(variance);
    bottom += likelihood;
    for (const double scale : {.01, .03, .1, .3, 1.0}) {  // integrated over the effect by a fine sum
      constexpr int steps = 40'000;
      constexpr double reach = 6;
      double sum = 0;
      for (int i = 0; i < steps; ++i) {
        const double off = reach * scale * (2 * (i + .5) / steps - 1);
        double of_effect = prior.weights[k];
        for (const double each : x)
          of_effect *= std::exp(-(each - theta - off) * (each - theta - off) / (2 * variance)) / std::sqrt(variance);
        sum += of_effect * std::exp(-off * off / (2 * scale * scale)) / (scale * std::sqrt(2 * M_PI));
      }
      top += sum * 2 * reach * scale / steps / 5;
    }
  }
  return top / bottom;
}

TEST(SpreadEValue, IsTheMixtureOfLikelihoodRatios) {
  const std::vector<double> x = {0.03, 0.05, 0.035};
  for (const double theta : {-0.1, 0.0, 0.04, 0.2})
    EXPECT_NEAR(std::exp(log_spread_e_value(moments_of(x, 1e-4), theta, {})) / plain_e_value(x, theta, 1e-4), 1, 1e-3)
        << theta;
}

TEST(SpreadEValue, GrowsWithTheDistanceFromTheMean) {
  const PairMoments pairs = moments_of(std::vector<double>{0.01, 0.02, 0.03}, 0);
  double before = log_spread_e_value(pairs, pairs.mean, {});
  for (double off = 0.01; off < 3; off += 0.01) {
    const double now = log_spread_e_value(pairs, pairs.mean + off, {});
    EXPECT_GT(now, before) << off;
    before = now;
  }
  EXPECT_LT(log_spread_e_value(pairs, pairs.mean, {}), 0);
}

TEST(SpreadRadius, IsWhereTheEValueReachesTheThreshold) {
  const PairMoments pairs = moments_of(std::vector<double>{0.01, 0.02, 0.03}, 1e-5);
  const double radius = spread_radius(pairs, std::log(40), {});
  EXPECT_NEAR(log_spread_e_value(pairs, pairs.mean + radius, {}), std::log(40), 0.05);
}

/// Half widths without history: a factor of 3 from one pair, some 3 % from three pairs that scatter by 0.3 %.
TEST(PairsInterval, NarrowsFastWherePairsAgree) {
  const auto half = [](const std::vector<double>& values) {
    const Range range = interval(values);
    return (range.high - range.low) / 2;
  };
  const double one = half({0}), two = half({-.002, .002}), three = half({-.003, 0, .003});
  EXPECT_NEAR(one, 1.07, 0.15);
  EXPECT_NEAR(two, 0.08, 0.03);
  EXPECT_NEAR(three, 0.03, 0.012);
}

TEST(PairsInterval, HoldsTheMeanAndIsWiderWherePairsScatter) {
  const Range near = interval({0.10, 0.11, 0.09}), far = interval({0.10, 0.20, 0.00});
  EXPECT_TRUE(near.contains(0.1));
  EXPECT_TRUE(far.contains(0.1));
  EXPECT_GT(far.high - far.low, near.high - near.low);
}

TEST(PairsInterval, IsWiderWhereSquaresSayThatPairsMayBeOffByChance) {
  const Range sure = interval({0.1, 0.1}), unsure = interval({0.1, 0.1}, {}, 0.01);
  EXPECT_GT(unsure.high - unsure.low, 2 * (sure.high - sure.low));
}

TEST(PairsInterval, IsCarriedBySignsWhereOnePairIsFarOff) {
  std::vector<double> values;
  for (int i = 0; i < 30; ++i) values.push_back(0.1 + 0.001 * (i % 5));
  values.push_back(1.5);
  EXPECT_LT(interval(values).high, 0.105);
}

TEST(PairsInterval, IsWiderForASmallerAlpha) {
  const std::vector<double> sorted = {0.09, 0.1, 0.11};
  const PairMoments pairs = moments_of(sorted, 0);
  const Range usual = pairs_interval(sorted, pairs, {}, 0.05), careful = pairs_interval(sorted, pairs, {}, 0.001);
  EXPECT_LT(careful.low, usual.low);
  EXPECT_GT(careful.high, usual.high);
}

TEST(PairsEvidence, IsTheLeastAgainstWhatIsInside) {
  const std::vector<double> values = {0.2, 0.21, 0.19};
  const PairMoments pairs = moments_of(values, 0);
  const double evidence = pairs_evidence_outside(values, pairs, {}, {-0.01, 0.01});
  const double at_the_end = std::exp(log_spread_e_value(pairs, 0.01, {}));
  EXPECT_NEAR(evidence, (at_the_end + sign_e_value(0, 3)) / 2, 1e-6 * evidence);
  EXPECT_LT(pairs_evidence_outside(values, pairs, {}, {-0.5, 0.5}), 1) << "the mean lies inside";
  EXPECT_EQ(pairs_evidence_outside({}, {}, {}, {-1, 1}), 1);
}

TEST(PairSequence, IntersectsAndSaysWhatSignsSay) {
  PairSequence sequence(alpha, {});
  Range before;
  for (int i = 0; i < 9; ++i) {
    sequence.add(0.1 + 0.002 * (i % 3), 0);
    EXPECT_GE(sequence.range().low, before.low);
    EXPECT_LE(sequence.range().high, before.high);
    EXPECT_EQ(sequence.signs().finite(), i >= 6);
    before = sequence.range();
  }
  EXPECT_EQ(sequence.moments().n, 9);
  EXPECT_NEAR(sequence.moments().mean, 0.102, 1e-12);
}

}  // namespace
}  // namespace regatta::stats
