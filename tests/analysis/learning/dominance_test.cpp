#include <gtest/gtest.h>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/trained.hpp"

namespace regatta::analysis {
namespace {

using testing_support::falling;
using testing_support::trained;

Learning found(double step, double seconds_of_first, std::int64_t seeds = 12) {
  return *learning_of(trained({.configurations = 2,
                               .seeds = seeds,
                               .searches = false,
                               .quality = falling(0.95, step),
                               .seconds_of_first = seconds_of_first}));
}

TEST(Dominance, NeedsOneThatIsBetterAndAsGoodInTheRest) {
  const Learning worse = found(0.05, 1);
  EXPECT_EQ(worse.ranking[1].dominated_by, TrialIndex{0}) << "worse at the same price";
  EXPECT_FALSE(worse.ranking[0].dominated_by);
  const Learning dear = found(0.002, 3);
  EXPECT_EQ(dear.ranking[0].dominated_by, TrialIndex{1}) << "as good within the margin for a third of the price";
}

TEST(Dominance, IsNothingWhereEachIsBetterInSomething) {
  for (const Ranked& row : found(0.05, 3).ranking) EXPECT_FALSE(row.dominated_by);
}

TEST(Dominance, IsNothingWithThreeSeeds) {
  for (const Ranked& row : found(0.05, 1, 3).ranking) EXPECT_FALSE(row.dominated_by);
}

}  // namespace
}  // namespace regatta::analysis
