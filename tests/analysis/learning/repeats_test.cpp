#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "analysis/learning/learning.hpp"
#include "analysis/learning/trained.hpp"
#include "regatta/analysis/learning_curves.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::analysis {
namespace {

using sweep::Purpose;
using testing::SizeIs;
using testing_support::falling;
using testing_support::trained;
using testing_support::TrainedSweep;

const TrainedSweep searched{.configurations = 9, .quality = falling(0.95, 0.004)};
const TrainedSweep plain{.configurations = 3, .searches = false, .quality = falling(0.95, 0.01)};

sweep::Sweep sweep_of(const TrainedSweep& made, std::optional<bool> repeat = {}) {
  auto sweep = sweep::parse_sweep(testing_support::sweep_text(made), "trained.json", sweep::any_environment());
  sweep.training->repeat = repeat;
  return sweep;
}

results::LegRow& repeated(results::Results& results) {
  return *std::ranges::find(results.legs, Purpose::again, [](const auto& leg) { return leg.leg.purpose; });
}

results::Results without_repeats(results::Results results) {
  std::erase_if(results.legs, [](const auto& leg) { return leg.leg.purpose == Purpose::again; });
  return results;
}

TEST(Repeats, AreDueOnceAllIsOverThatDecidesAnything) {
  for (const TrainedSweep& made : {searched, plain}) {
    auto results = without_repeats(trained(made));
    const auto due = legs_due(sweep_of(made), results.trials, results.legs);
    ASSERT_THAT(due, SizeIs(1));
    EXPECT_EQ(due[0].first, learning_of(results)->leader);
    EXPECT_EQ(due[0].second, (sweep::Leg{Purpose::again, made.searches ? sweep::first_fresh_seed : 0, 0, 0, 1}));
    EXPECT_THAT(deciding_legs_due(sweep_of(made), results.trials, results.legs), SizeIs(0));
    results.legs.pop_back();
    for (const auto& [trial, leg] : legs_due(sweep_of(made), results.trials, results.legs))
      EXPECT_NE(leg.purpose, Purpose::again);
  }
}

TEST(Repeats, AreOneForEachEngineOfItsBestConfiguration) {
  auto results = without_repeats(trained(plain));
  for (const std::size_t at : {std::size_t{1}, std::size_t{2}})
    results.trials[at].parameters[sweep::Param::engine] = std::string("torch");
  const auto due = repeats_due(sweep_of(plain, true), results.trials, results.legs);
  ASSERT_THAT(due, SizeIs(2));
  EXPECT_EQ(due[0].first, TrialIndex{0});
  EXPECT_EQ(due[1].first, TrialIndex{1}) << "the better one of torch";
  std::erase_if(results.legs, [](const auto& leg) { return leg.trial == TrialIndex{1} && leg.leg.seed == 0; });
  EXPECT_EQ(repeats_due(sweep_of(plain, true), results.trials, results.legs)[1].first, TrialIndex{2})
      << "the better one has no first run";
  results::LegRow done = results.legs.front();
  done.trial = {2};
  done.leg.purpose = Purpose::again;
  results.legs.push_back(done);
  EXPECT_THAT(repeats_due(sweep_of(plain, true), results.trials, results.legs), SizeIs(1));
}

TEST(Repeats, AreWantedWhereTheyCostATenthAtMost) {
  const sweep::Training seven{.epochs = 1, .steps = {}, .seeds = 7, .early_stop = {}};
  EXPECT_TRUE(sweep::wants_repeats(seven, {}, 2, 1));
  EXPECT_FALSE(sweep::wants_repeats(seven, {}, 1, 1)) << "1 of 7";
  EXPECT_FALSE(sweep::wants_repeats(seven, {}, 2, 2));
  EXPECT_TRUE(sweep::wants_repeats(seven, sweep::Search(), 1, 1));
  auto said = seven;
  said.repeat = false;
  EXPECT_FALSE(sweep::wants_repeats(said, sweep::Search(), 9, 1));
  said.repeat = true;
  EXPECT_TRUE(sweep::wants_repeats(said, {}, 1, 1));
  auto results = without_repeats(trained(plain));
  EXPECT_THAT(legs_due(sweep_of(plain, false), results.trials, results.legs), SizeIs(0));
}

TEST(Repeats, ChangeNoFigure) {
  for (const TrainedSweep& made : {searched, plain}) {
    auto with = trained(made);
    for (auto& point : repeated(with).learned.curve.points) point.values = {9, 9};
    repeated(with).learned.best = {9, 9};
    repeated(with).learned.test_accuracy = 9;
    const auto found = learning_of(with);
    const auto bare = learning_of(without_repeats(with));
    ASSERT_EQ(found->ranking.size(), bare->ranking.size());
    EXPECT_EQ(found->ranking[0].validation.by_seed, bare->ranking[0].validation.by_seed);
    EXPECT_EQ(found->ranking[0].test.by_seed, bare->ranking[0].test.by_seed);
    EXPECT_EQ(found->ranking[0].train_seconds.by_seed, bare->ranking[0].train_seconds.by_seed);
    EXPECT_EQ(found->tally.runs, bare->tally.runs);
    EXPECT_EQ(found->tally.legs, bare->tally.legs);
    EXPECT_EQ(found->tally.tested, bare->tally.tested);
    EXPECT_EQ(found->cost.fresh, bare->cost.fresh);
    EXPECT_EQ(found->cost.repeats, 1);
    EXPECT_EQ(learning_curves(with, *found, 1).curves[0].stages.back().high,
              learning_curves(with, *bare, 1).curves[0].stages.back().high);
    EXPECT_EQ(found->warnings, bare->warnings);
    EXPECT_TRUE(found->over && bare->over);
    EXPECT_EQ(found->repeats_due, 0U);
    EXPECT_EQ(bare->repeats_due, 1U);
  }
}

TEST(Repeats, AreComparedBitByBit) {
  auto results = trained(plain);
  const auto only = [&] { return repeats_of(results.trials, results.legs).front(); };
  EXPECT_EQ(only().differs_from, std::nullopt);
  EXPECT_EQ(only().evaluations, 4U);
  EXPECT_EQ(only().engine, "native");
  auto& curve = repeated(results).learned.curve;
  curve.points[2].train_seconds += 1;
  EXPECT_EQ(only().differs_from, std::nullopt) << "time is no result";
  const double last = curve.points[2].values[1];
  curve.points[2].values[1] = std::nextafter(last, 1);
  EXPECT_EQ(only().differs_from, curve.points[2].samples);
  EXPECT_EQ(only().metric, "train_loss");
  EXPECT_EQ(only().first, only().second) << "the last ones are the same again";
  curve.points[2].values[1] = last;
  curve.points.pop_back();
  EXPECT_EQ(only().differs_from, 8000) << "it ended before";
}

TEST(Repeats, TakeWhatIsNotFiniteForTheSame) {
  auto results = trained(plain);
  for (auto& leg : results.legs) leg.learned.curve.points.back().values[0] = std::nan("");
  EXPECT_EQ(repeats_of(results.trials, results.legs).front().differs_from, std::nullopt);
  repeated(results).learned.curve.points.back().values[0] = 1;
  EXPECT_EQ(repeats_of(results.trials, results.legs).front().differs_from, 8000);
}

TEST(Repeats, SayWhereTheSecondRunFailed) {
  auto results = trained(plain);
  repeated(results).outcome = sweep::Failed{sweep::FailureKind::crashed, "killed"};
  repeated(results).learned = {};
  EXPECT_TRUE(repeats_of(results.trials, results.legs).front().failed);
}

}  // namespace
}  // namespace regatta::analysis
