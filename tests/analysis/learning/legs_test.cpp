#include <gmock/gmock.h>

#include "regatta/analysis/learning.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;
using ::testing::Each;
using ::testing::Field;
using ::testing::SizeIs;

sweep::Sweep training(const std::string& more) {
  return sweep::parse_sweep(R"({"regatta": 1, "name": "learns", "task": "train",
    "axes": {"model": "mlp-10", "learning_rate": [0.01, 0.1, 0.2]}, "train": {"epochs": 1, "seeds": 7})" +
                                more + "}",
                            "s.json", sweep::any_environment());
}

constexpr const char* search = R"(, "objective": {"metric": "validation_accuracy"}, "search": {"kind": "halving"})";

std::vector<results::TrialRow> trials_of(const sweep::Sweep& sweep) {
  std::vector<results::TrialRow> rows;
  for (const sweep::Trial& trial : sweep::make_plan(sweep).trials) {
    rows.emplace_back().hash = trial.hash;
    rows.back().parameters = trial.parameters;
  }
  return rows;
}

results::LegRow leg_row(std::uint32_t trial, sweep::Leg leg, double accuracy) {
  results::LegRow row;
  row.trial = {trial};
  row.leg = leg;
  row.outcome = sweep::Finished{};
  row.learned.curve.metrics = {sweep::train_loss, sweep::validation_loss, sweep::validation_accuracy};
  row.learned.best = {1, 2, accuracy};
  return row;
}

TEST(LegsDue, AreAllSeedsWithoutASearch) {
  const sweep::Sweep sweep = training("");
  auto trials = trials_of(sweep);
  const auto all = legs_due(sweep, trials, {});
  EXPECT_THAT(all, SizeIs(21));
  for (std::size_t i = 0; i < all.size(); ++i) EXPECT_EQ(all[i].second.seed, static_cast<std::int64_t>(i) / 3);
  trials[1].outcome = sweep::Skipped{"no such layer"};
  EXPECT_THAT(legs_due(sweep, trials, {}), SizeIs(14));
  const std::vector<results::LegRow> done = {leg_row(0, {Purpose::plain, 3, 0, 0, 1}, 0.5)};
  EXPECT_THAT(legs_due(sweep, trials, done), SizeIs(13));
}

TEST(LegsDue, AreWhatASearchAsksFor) {
  const sweep::Sweep sweep = training(search);
  const auto due = legs_due(sweep, trials_of(sweep), {});
  EXPECT_THAT(due, SizeIs(6)) << "three configurations, each with a clone";
  for (const auto& [trial, leg] : due) EXPECT_EQ(leg.rung, 0U);
}

TEST(SearchStand, AScoreIsTheObjectiveAtTheBestEvaluation) {
  const sweep::Sweep sweep = training(search);
  const sweep::Leg first{Purpose::search, 0, 0, 0, 1.0 / 27};
  std::vector<results::LegRow> legs = {leg_row(0, first, 0.9), leg_row(1, first, 0.8), leg_row(2, first, 0.7)};
  legs[1].learned.end = sweep::LegEnd::diverged;
  legs[2].outcome = sweep::Failed{sweep::FailureKind::crashed, ""};
  const SearchStand stand = search_stand(sweep, trials_of(sweep), legs);
  ASSERT_THAT(stand.runs, SizeIs(3));
  EXPECT_EQ(stand.runs[0].score, 0.9);
  EXPECT_EQ(stand.runs[1].score, std::nullopt) << "what diverged is last";
  EXPECT_EQ(stand.runs[2].score, std::nullopt);
  EXPECT_THAT(stand.trials, SizeIs(3));
}

TEST(SearchStand, LeavesSkippedTrialsOut) {
  const sweep::Sweep sweep = training(search);
  auto trials = trials_of(sweep);
  trials[0].outcome = sweep::Skipped{"no such layer"};
  const std::vector<results::LegRow> legs = {leg_row(1, {Purpose::search, 0, 0, 0, 1.0 / 27}, 0.9)};
  const SearchStand stand = search_stand(sweep, trials, legs);
  ASSERT_THAT(stand.runs, SizeIs(1));
  EXPECT_EQ(stand.runs[0].configuration, 0U);
  EXPECT_EQ(stand.trials[0].value, 1U);
}

TEST(SearchStand, TestsByTheTestPartsFigureOfTheSameKind) {
  sweep::Sweep sweep = training(search);
  results::LegRow row = leg_row(0, {Purpose::test, 1000, 0, 1, 1}, 0.9);
  row.learned.test_accuracy = 0.8;
  row.learned.test_loss = 0.3;
  EXPECT_EQ(search_stand(sweep, trials_of(sweep), {row}).runs[0].test, 0.8);
  sweep.objective = {sweep::validation_loss, false, 0.01};
  EXPECT_EQ(search_stand(sweep, trials_of(sweep), {row}).runs[0].test, 0.3);
}

}  // namespace
}  // namespace regatta::analysis
