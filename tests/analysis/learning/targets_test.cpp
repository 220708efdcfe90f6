#include "analysis/learning/targets.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "analysis/learning/trained.hpp"

namespace regatta::analysis {
namespace {

using testing_support::falling;
using testing_support::trained;

constexpr double never = std::numeric_limits<double>::infinity();

results::LegRow leg_with(const std::vector<double>& values) {
  results::LegRow leg;
  leg.learned.prepare_seconds = 100;
  leg.learned.curve.metrics = {"validation_accuracy"};
  for (std::size_t i = 0; i < values.size(); ++i) {
    const auto at = static_cast<std::int64_t>(i + 1);
    leg.learned.curve.points.push_back(
        {at, 10 * at, static_cast<double>(at), 0.5 * static_cast<double>(at), {values[i]}});
  }
  return leg;
}

Arrivals arriving(const std::vector<double>& seconds) {
  Arrivals arrivals;
  for (std::size_t i = 0; i < seconds.size(); ++i)
    arrivals[static_cast<std::int64_t>(i)] = {10 * seconds[i], seconds[i], 2 * seconds[i], 3 * seconds[i]};
  return arrivals;
}

TEST(Targets, AreReachedAtTheFirstOfTwoEvaluationsInARow) {
  const sweep::Objective objective{.metric = "validation_accuracy", .target = 0.9};
  const auto arrival = arrival_of(leg_with({0.5, 0.95, 0.8, 0.9, 0.92, 0.7}), objective, 10);
  ASSERT_TRUE(arrival);
  EXPECT_EQ(arrival->samples, 40) << "0.95 alone was luck";
  EXPECT_EQ(arrival->train_seconds, 4);
  EXPECT_EQ(arrival->all_seconds, 6);
  EXPECT_EQ(arrival->with_start, 116) << "a cold start, its own preparation, training and evaluations";
  EXPECT_EQ(arrival_of(leg_with({0.5, 0.6, 0.95}), objective, 10)->samples, never) << "nothing stands behind the last";
  EXPECT_FALSE(arrival_of(leg_with({1, 1}), {.metric = "validation_accuracy"}, 10)) << "there is none";
}

TEST(Targets, OfALossLieBelow) {
  auto leg = leg_with({0.9, 0.2, 0.1});
  leg.learned.curve.metrics = {"validation_loss"};
  EXPECT_EQ(arrival_of(leg, {.metric = "validation_loss", .maximizes = false, .target = 0.25}, 10)->samples, 20);
}

TEST(Targets, CountARunThatNeverArrivesAboveAllOthers) {
  const Target target = target_of(arriving({1, 2, 3, 4, 5, 6, 7, 8, 9, 10, never, never}));
  EXPECT_EQ(target.runs, 12U);
  EXPECT_EQ(target.reached, 10U);
  EXPECT_EQ(target.train_seconds.value, 6.5);
  EXPECT_EQ(target.train_seconds.range, (stats::Range{3, 10})) << "third from both ends of 12";
  EXPECT_EQ(target.samples.value, 65);
  EXPECT_EQ(target_of(arriving({1, 2, 3, never, never, never, never})).train_seconds.value, never);
}

TEST(Targets, OfFewRunsHaveNoInterval) {
  const Target target = target_of(arriving({1, 2, 3, 4, 5}));
  EXPECT_EQ(target.train_seconds.range, (stats::Range{0, never}));
  EXPECT_EQ(target_of(arriving({1, 2, 3, 4, 5, 6})).train_seconds.range, (stats::Range{1, 6}));
}

TEST(Targets, AreComparedByPairsOfWhichOneMayNeverArrive) {
  const auto leader = arriving({1, 1, 1, 1, 1, 1, 1, never});
  const auto ratio = ratio_to_leader(leader, arriving({2, 2, 2, 2, 2, never, never, never}));
  EXPECT_EQ(ratio.value, 2) << "of seven pairs: both never says nothing";
  EXPECT_EQ(ratio.range, (stats::Range{2, never}));
}

TEST(Targets, StandInTheRankingOfASweepThatHasOne) {
  auto results = testing_support::trained({.searches = false, .quality = testing_support::falling(0.95, 0.03)});
  EXPECT_FALSE(learning_of(results)->ranking.front().target);
  std::string& text = results.provenance.sweep_json;
  text.replace(text.find("\"margin\""), 0, "\"target\": 0.9, ");
  const auto ranking = learning_of(results)->ranking;
  EXPECT_EQ(ranking.front().target->reached, 12U);
  EXPECT_EQ(ranking.back().target->reached, 0U);
  EXPECT_EQ(ranking.back().target->ratio.value, never);
  EXPECT_NEAR(ranking[1].target->ratio.value, 1, 0.1);
}

TEST(Targets, WithStartAreNotKnownWhereNoStartIs) {
  const sweep::Objective objective{.metric = "validation_accuracy", .target = 0.9};
  const double unknown = cold_start_of({}, "native");
  EXPECT_TRUE(std::isnan(unknown));
  const Arrivals arrivals = {{0, *arrival_of(leg_with({1, 1}), objective, unknown)},
                             {1, *arrival_of(leg_with({0, 0}), objective, unknown)}};
  const Target target = target_of(arrivals);
  EXPECT_TRUE(std::isnan(target.with_start.value));
  EXPECT_EQ(target.reached, 1U);
  EXPECT_EQ(target_of(arriving({1, 2, 3})).with_start.value, 6);
}

TEST(ColdStarts, AreMediansOverProcessesOfEachEngine) {
  results::Results results = trained({.configurations = 2, .searches = false, .quality = falling(0.9, 0)});
  results.trials[1].parameters[sweep::Param::engine] = std::string("torch");
  EXPECT_TRUE(cold_starts_of(results.trials, results.legs).empty()) << "files of earlier versions do not know";
  for (auto& leg : results.legs) {
    const bool is_late = leg.trial == TrialIndex{0} && leg.leg.seed == 11;
    leg.learned.start_seconds = leg.trial == TrialIndex{1} ? 5 : is_late ? 3 : 1;
  }
  const auto starts = cold_starts_of(results.trials, results.legs);
  ASSERT_EQ(starts.size(), 2U);
  EXPECT_EQ(starts[0].engine, "native");
  EXPECT_EQ(starts[0].processes, 2U) << "a warm process says the same for each of its legs";
  EXPECT_EQ(starts[0].seconds, 2);
  EXPECT_EQ(cold_start_of(starts, "torch"), 5);
}

}  // namespace
}  // namespace regatta::analysis
