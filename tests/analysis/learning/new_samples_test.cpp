#include <gtest/gtest.h>

#include <cmath>

#include "analysis/learning/learning.hpp"

namespace regatta::analysis {
namespace {

/// So many of the samples are wrong under every seed, from `first` on.
Hits hits_with(std::size_t samples, std::size_t first, std::size_t wrong, std::int64_t seeds = 12) {
  Hits hits;
  for (std::int64_t seed = 0; seed < seeds; ++seed) {
    std::vector<bool> right(samples, true);
    for (std::size_t i = 0; i < wrong; ++i) right[first + i] = false;
    hits[seed] = right;
  }
  return hits;
}

TEST(NewSamples, LieAsFarAsWilsonSays) {
  const auto range = for_new_samples(0.9, 100);  // as in Wilson's own tables
  EXPECT_NEAR(range.low, 0.8256, 5e-4);
  EXPECT_NEAR(range.high, 0.9448, 5e-4);
  EXPECT_LT(for_new_samples(1, 100).low, 0.97) << "a hundred right ones promise no more";
}

TEST(NewSamples, AreAsFarOffAsSamplesDrawnAnewWouldBe) {
  const auto estimate = accuracy_for_new_samples(hits_with(400, 0, 40), 0.05);
  const double error = std::sqrt(0.9 * 0.1 / 400);
  EXPECT_NEAR(estimate.value, 0.9, 1e-12);
  EXPECT_NEAR(estimate.range.low, 0.9 - 1.96 * error, 0.003);
  EXPECT_NEAR(estimate.range.high, 0.9 + 1.96 * error, 0.003);
}

TEST(NewSamples, OfALargePartNeedNoResampling) {
  const auto estimate = accuracy_for_new_samples(hits_with(10000, 0, 1000), 0.05);
  EXPECT_NEAR(estimate.range.high - estimate.range.low, 2 * 1.96 * 0.003, 1e-4);
}

TEST(NewSamples, AreFartherOffWhereSeedsDiffer) {
  Hits hits = hits_with(400, 0, 40);
  for (std::size_t i = 40; i < 100; ++i) hits[3][i] = false;
  const auto same = accuracy_for_new_samples(hits_with(400, 0, 40), 0.05).range;
  const auto unlike = accuracy_for_new_samples(hits, 0.05).range;
  EXPECT_GT(unlike.high - unlike.low, 1.2 * (same.high - same.low));
}

TEST(NewSamples, TellADifferenceByPairsOfAnswersToOneSample) {
  const Hits better = hits_with(400, 0, 40);
  const auto nested = difference_for_new_samples(better, hits_with(400, 0, 60), 0.05);  // wrong where the other is
  const auto apart = difference_for_new_samples(better, hits_with(400, 100, 60), 0.05);
  EXPECT_NEAR(nested.value, 0.05, 1e-12);
  EXPECT_NEAR(apart.value, 0.05, 1e-12);
  EXPECT_GT(nested.range.low, 0.02);
  EXPECT_LT(apart.range.low, 0.01) << "they err on other samples";
}

TEST(NewSamples, AreNotKnownFromAFewThatDiffer) {
  EXPECT_FALSE(accuracy_for_new_samples(hits_with(400, 0, 9), 0.05).range.finite());
  EXPECT_TRUE(accuracy_for_new_samples(hits_with(400, 0, 10), 0.05).range.finite());
  EXPECT_FALSE(difference_for_new_samples(hits_with(400, 0, 50), hits_with(400, 0, 50), 0.05).range.finite());
}

TEST(NewSamples, RestOnSeedsThatBothHave) {
  Hits other = hits_with(400, 0, 60);
  for (std::int64_t seed = 6; seed < 12; ++seed) other.erase(seed);
  EXPECT_NEAR(difference_for_new_samples(hits_with(400, 0, 40), other, 0.05).value, 0.05, 1e-12);
  EXPECT_TRUE(std::isnan(difference_for_new_samples(hits_with(400, 0, 40), {}, 0.05).value));
}

}  // namespace
}  // namespace regatta::analysis
