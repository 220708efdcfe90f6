#include "regatta/stats/confidence_sequence.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "regatta/base/random.hpp"

namespace regatta::stats {
namespace {

TEST(SignEValue, IsTheKrichevskyTrofimovMixture) {
  EXPECT_NEAR(sign_e_value(0, 0), 1, 1e-12);
  EXPECT_NEAR(sign_e_value(0, 1), 1, 1e-12);       // Gamma(1/2) Gamma(3/2) = pi / 2
  EXPECT_NEAR(sign_e_value(0, 2), 1.5, 1e-12);     // 4 * (1/2 * 3/4)
  EXPECT_NEAR(sign_e_value(1, 2), 0.5, 1e-12);     // 4 * 1/8
  EXPECT_NEAR(sign_e_value(0, 7), 26.8125, 1e-9);  // 2^7 * 429/2048
  EXPECT_NEAR(sign_e_value(0, 6), 14.4375, 1e-9);  // 2^6 * 231/1024
  EXPECT_NEAR(sign_e_value(3, 10), sign_e_value(7, 10), 1e-12);
}

TEST(SignEValue, HasMeanOneForAFairCoin) {
  for (const std::size_t n : {1U, 7U, 20U}) {
    double mean = 0;
    double ways = 1;  // n over k
    for (std::size_t k = 0; k <= n; ++k) {
      mean += ways * std::pow(0.5, n) * sign_e_value(k, n);
      ways = ways * static_cast<double>(n - k) / static_cast<double>(k + 1);
    }
    EXPECT_NEAR(mean, 1, 1e-9) << n;
  }
}

TEST(SignRank, GivesTheFirstIntervalAtSevenValues) {
  const std::map<std::size_t, std::size_t> expected = {{6, 0},  {7, 1},  {12, 2},  {16, 3},
                                                       {24, 5}, {32, 8}, {48, 14}, {64, 20}};
  for (const auto& [n, rank] : expected) EXPECT_EQ(sign_rank(n, 0.05), rank) << n;
}

TEST(SignRank, IsTheLargestThatTheEValuesAllow) {
  for (std::size_t n = 1; n <= 200; ++n) {
    const std::size_t rank = sign_rank(n, 0.05);
    if (rank > 0) {
      EXPECT_GE(sign_e_value(rank - 1, n), 20 * (1 - 1e-9)) << n;
    }
    EXPECT_LT(sign_e_value(rank, n), 20) << n;
  }
}

TEST(SignInterval, RunsBetweenOrderStatistics) {
  EXPECT_FALSE(sign_interval({1, 2, 3, 4, 5, 6}, 0.05).finite());
  EXPECT_EQ(sign_interval({7, 1, 6, 2, 5, 3, 4}, 0.05), (Range{1, 7}));
  EXPECT_EQ(sign_interval({12, 1, 11, 2, 10, 3, 9, 4, 8, 5, 7, 6}, 0.05), (Range{2, 11}));
}

TEST(ConfidenceSequence, KeepsTheNarrowestEnds) {
  ConfidenceSequence sequence(0.05);
  for (const double value : {1, 2, 3, 4, 5, 6}) sequence.add(value);
  EXPECT_FALSE(sequence.range().finite());
  sequence.add(7);
  EXPECT_EQ(sequence.range(), (Range{1, 7}));
  sequence.add(-10);
  EXPECT_EQ(sequence.latest(), (Range{-10, 7}));
  EXPECT_EQ(sequence.range(), (Range{1, 7})) << "what was excluded stays excluded";
}

TEST(ConfidenceSequence, IsEmptyOnceTheMedianHasMoved) {
  ConfidenceSequence sequence(0.05);
  for (int i = 0; i < 20; ++i) sequence.add(i % 2);
  for (int i = 0; i < 200; ++i) sequence.add(100 + i % 2);
  EXPECT_TRUE(sequence.range().empty());
  EXPECT_EQ(sequence.latest().low, 100);
}

TEST(ConfidenceSequence, AddsTheWideningOfEachStage) {
  ConfidenceSequence sequence(0.05);
  for (const double value : {1, 2, 3, 4, 5, 6, 7}) sequence.add(value, 0.5);
  EXPECT_EQ(sequence.range(), (Range{0.5, 7.5}));
  for (const double value : {4, 4, 4, 4, 4}) sequence.add(value, 0.25);
  EXPECT_EQ(sequence.range(), (Range{1.75, 6.25}));  // n = 12: second smallest and second largest
}

TEST(ConfidenceSequence, AgreesWithRanksFromScratch) {
  ConfidenceSequence sequence(0.05);
  std::vector<double> values;
  for (std::uint64_t i = 0; i < 150; ++i) {
    values.push_back(random_unit(1, i));
    sequence.add(values.back());
    EXPECT_EQ(sequence.latest(), sign_interval(values, 0.05));
  }
}

TEST(EValueOutside, IsThatOfTheMostFavourableMedian) {
  const std::vector<double> values = {1, 2, 3, 4, 5, 6, 7};
  EXPECT_NEAR(e_value_outside(values, {-1, 0.5}), sign_e_value(0, 7), 1e-12);
  EXPECT_NEAR(e_value_outside(values, {-1, 1}), sign_e_value(1, 7), 1e-12) << "a tie is no evidence";
  EXPECT_NEAR(e_value_outside(values, {-1, 2.5}), sign_e_value(2, 7), 1e-12);
  EXPECT_NEAR(e_value_outside(values, {7.5, 9}), sign_e_value(7, 7), 1e-12);
  EXPECT_NEAR(e_value_outside(values, {2.5, 6.5}), sign_e_value(3, 7), 1e-12);
  EXPECT_NEAR(e_value_outside(std::vector<double>{}, {-1, 1}), 1, 1e-12);
}

}  // namespace
}  // namespace regatta::stats
