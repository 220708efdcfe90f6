#include "regatta/stats/many_contrasts.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace regatta::stats {
namespace {

std::vector<bool> of_one_family(const std::vector<double>& e_values) {
  return e_benjamini_hochberg(e_values, std::vector<std::size_t>(e_values.size(), 0));
}

TEST(EBenjaminiHochberg, AsksMoreOfFewerDiscoveries) {
  // 4 contrasts: the best needs 80, two 40 each, three 26.7, four 20.
  EXPECT_EQ(of_one_family({79, 1, 2, 3}), (std::vector<bool>{false, false, false, false}));
  EXPECT_EQ(of_one_family({80, 1, 2, 3}), (std::vector<bool>{true, false, false, false}));
  EXPECT_EQ(of_one_family({40, 1, 41, 3}), (std::vector<bool>{true, false, true, false}));
  EXPECT_EQ(of_one_family({20, 20, 20, 20}), (std::vector<bool>{true, true, true, true}));
  EXPECT_TRUE(of_one_family({}).empty());
}

TEST(EBenjaminiHochberg, LetsNoOtherFamilyVouchForADifference) {
  // Over all, 4 of 6 need 30 each; in a family of its own the only one of two needs 40.
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{30, 30, 30, 39, 1, 1}, std::vector<std::size_t>{0, 0, 0, 1, 1, 0}),
            (std::vector<bool>{false, false, false, false, false, false}))
      << "without it three of six need 40";
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{40, 40, 40, 39, 1, 1}, std::vector<std::size_t>{0, 0, 0, 1, 1, 0}),
            (std::vector<bool>{true, true, true, false, false, false}));
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{40, 40, 40, 40, 1, 1}, std::vector<std::size_t>{0, 0, 0, 1, 1, 0}),
            (std::vector<bool>{true, true, true, true, false, false}));
}

TEST(EBenjaminiHochberg, LetsNoFamilyBeJudgedByItselfAlone) {
  // Two of two need 20 each, two of eight 80.
  EXPECT_EQ(e_benjamini_hochberg(std::vector<double>{79, 79, 1, 1, 1, 1, 1, 1},
                                 std::vector<std::size_t>{0, 0, 1, 1, 1, 1, 1, 1}),
            std::vector<bool>(8, false));
}

TEST(EBenjaminiHochberg, KeepsWhatNeededTheEvidenceOfItsRank) {
  // Each was found with what e-BH asks of the k-th: none falls, however many of the others are no differences.
  std::vector<double> e_values(100, 1);
  for (std::size_t k = 1; k <= 9; ++k) e_values[10 * k] = evidence_needed(100, k);
  const auto found = of_one_family(e_values);
  EXPECT_EQ(std::ranges::count(found, true), 9);
}

TEST(BenjaminiHochberg, TakesAllUpToTheLastBelowTheLine) {
  // For 4 values at 5 % the line is 0.0125, 0.025, 0.0375, 0.05. The third smallest, 0.03, lies below it, so the second
  // counts though 0.028 > 0.025.
  EXPECT_EQ(benjamini_hochberg(std::vector<double>{0.03, 0.2, 0.001, 0.028}),
            (std::vector<bool>{true, false, true, true}));
  EXPECT_EQ(benjamini_hochberg(std::vector<double>{0.03, 0.9}), (std::vector<bool>{false, false}));
  EXPECT_TRUE(benjamini_hochberg({}).empty());
}

}  // namespace
}  // namespace regatta::stats
