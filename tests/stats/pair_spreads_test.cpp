#include "regatta/stats/pair_spreads.hpp"

#include <gtest/gtest.h>

#include <numeric>

namespace regatta::stats {
namespace {

SpreadHistory scattered_by(double spread, double degrees) {
  SpreadHistory history;
  history.add(degrees * spread * spread, degrees, 0);
  return history;
}

double sum_of(const SpreadPrior& prior) { return std::accumulate(prior.weights.begin(), prior.weights.end(), 0.0); }

TEST(SpreadPrior, AddsUpToOne) {
  EXPECT_NEAR(sum_of({}), 1, 1e-12);
  EXPECT_NEAR(sum_of(prior_from(scattered_by(0.01, 5))), 1, 1e-12);
  EXPECT_EQ(prior_from({}), SpreadPrior());
}

TEST(SpreadPrior, FollowsWhatPairsShowedByHalf) {
  const SpreadPrior prior = prior_from(scattered_by(0.016, 12));
  EXPECT_GT(prior.weights[3], 0.4) << "1.6 %";
  for (std::size_t k = 0; k < prior.weights.size(); ++k)
    EXPECT_GE(prior.weights[k], unknown_spreads[k] / 2) << "this code may scatter otherwise";
}

TEST(SpreadPrior, CountsHistoryForTwelveDegreesAtMost) {
  const SpreadPrior twelve = prior_from(scattered_by(0.01, 12)), many = prior_from(scattered_by(0.01, 1200));
  for (std::size_t k = 0; k < twelve.weights.size(); ++k) EXPECT_NEAR(twelve.weights[k], many.weights[k], 1e-9);
}

TEST(SpreadPrior, LeavesWhatSquaresExplainToThem) {
  SpreadHistory explained;
  explained.add(12 * 0.05 * 0.05, 12, 0.05 * 0.05);
  EXPECT_LT(usual_spread(prior_from(explained)), usual_spread(prior_from(scattered_by(0.05, 12))));
}

TEST(SpreadHistory, GivesBackWhatWasAdded) {
  SpreadHistory both = scattered_by(0.01, 4);
  const SpreadHistory one = both;
  const SpreadHistory other = scattered_by(0.03, 2);
  both.add(other);
  both.take_out(other);
  for (std::size_t k = 0; k < spread_levels.size(); ++k)
    EXPECT_NEAR(both.log_likelihoods[k], one.log_likelihoods[k], 1e-9);
  EXPECT_EQ(both.degrees, one.degrees);
}

TEST(SpreadPool, KnowsPairsInEitherOrderAndClonesOfBoth) {
  SpreadPool pool;
  EXPECT_TRUE(pool.is_empty());
  pool.add("numpy", "torch", scattered_by(0.01, 3));
  pool.add("torch", "torch", scattered_by(0.02, 2));
  pool.add("jax", "jax", scattered_by(0.02, 7));
  EXPECT_EQ(pool.of("torch", "numpy").degrees, 5);
  EXPECT_EQ(pool.of("torch", "torch").degrees, 2);
  EXPECT_EQ(pool.of("native", "numpy").degrees, 0);
  SpreadPool more;
  more.add("torch", "numpy", scattered_by(0.01, 1));
  pool.add(more);
  EXPECT_EQ(pool.of("numpy", "torch").degrees, 6);
  pool.add("none", "none", {});
  EXPECT_EQ(pool.of("none", "none"), SpreadHistory());
}

}  // namespace
}  // namespace regatta::stats
