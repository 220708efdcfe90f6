#include "analysis/explain/explanations.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>

#include "regatta/analysis/contrasts.hpp"
#include "regatta/stats/rules.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Intervention;
using sweep::InterventionKind;
using testing::ElementsAre;
using testing_support::arm;
using testing_support::explained_results;
using testing_support::ResultsBuilder;

constexpr Intervention as_it_is{InterventionKind::unchanged, 0};
constexpr Intervention emptied{InterventionKind::kernels_emptied, 0};

std::vector<double> squares(double seconds, std::size_t count = 8) { return std::vector<double>(count, seconds); }

Explanation explanation_of(const std::vector<ResultsBuilder::Change>& changes) {
  ResultsBuilder made;
  made.explanation(made.trial(arm("native", "eager", 32)), changes);
  return explanations(judge_of(made.results)).at(0);
}

TEST(Explanations, SayWhatEachChangeRemoves) {
  const auto found = explanations(judge_of(explained_results()));
  ASSERT_EQ(found.size(), 1U);
  EXPECT_NEAR(found[0].step_seconds, 100e-6, 1e-12);
  ASSERT_EQ(found[0].changes.size(), 4U);
  const ChangedCell& resident = found[0].changes[0];
  EXPECT_NEAR(resident.ratio, 0.8, 1e-9);
  EXPECT_NEAR(resident.low.value(), 0.8, 1e-9);
  EXPECT_NEAR(resident.high.value(), 0.8, 1e-9);
  EXPECT_NEAR(resident.removed_seconds, 20e-6, 1e-12);
  EXPECT_NEAR(resident.step_seconds, 80e-6, 1e-12);
  EXPECT_EQ(resident.verdict, stats::Verdict::faster);
  EXPECT_EQ(resident.squares, 8);
  EXPECT_EQ(resident.processes, 16);
}

TEST(Explanations, FitCallsAndRowsThroughTheBatches) {
  const auto line = explanations(judge_of(explained_results())).at(0).line;
  ASSERT_TRUE(line);
  EXPECT_THAT(line->batches, ElementsAre(1, 4, 32));
  EXPECT_NEAR(line->calls_seconds, 60e-6, 1e-10);  // 61.25 at 1, 65 at 4, 100 at 32
  EXPECT_NEAR(line->seconds_per_row, 1.25e-6, 1e-12);
  EXPECT_NEAR(line->low.value(), 60e-6, 1e-10);
  EXPECT_NEAR(line->misfit, 0, 1e-6);
}

TEST(Explanations, AreNoContrasts) {
  const auto results = explained_results();
  EXPECT_TRUE(contrasts(results).contrasts.empty());
  EXPECT_TRUE(contrasts(results).missing.empty());
}

TEST(Explanations, OfAnEngineWithoutInterventionsHaveNoFigure) {
  const auto found = explanation_of({{as_it_is, squares(1)}, {emptied, {}}});
  EXPECT_TRUE(std::holds_alternative<sweep::Skipped>(found.changes.at(0).outcome));
  EXPECT_TRUE(std::isnan(found.changes[0].ratio));
  EXPECT_FALSE(found.line);
}

TEST(Explanations, HaveAnIntervalFromOnePairAndAVerdictFromTwo) {
  const auto one = explanation_of({{as_it_is, squares(100, 1)}, {emptied, squares(1, 1)}});
  EXPECT_TRUE(one.changes[0].low);
  EXPECT_EQ(one.changes[0].verdict, stats::Verdict::undecided);
  const auto two = explanation_of({{as_it_is, squares(100, 2)}, {emptied, squares(1, 2)}});
  EXPECT_EQ(two.changes[0].verdict, stats::Verdict::faster);
}

TEST(Explanations, SayWhyAClearIntervalIsNoVerdict) {
  const auto found = explanation_of(
      {{as_it_is, squares(1, 12)}, {emptied, {.93, .935, .94, .945, .95, .955, .96, .965, .97, .975, .98, .985}}});
  EXPECT_EQ(found.changes.at(0).verdict, stats::Verdict::undecided);
  EXPECT_TRUE(found.changes[0].flags.has(stats::Flag::drifting));
}

TEST(Explanations, OfDisturbedSlicesCount) {
  auto results = explained_results();
  for (auto& row : results.intervention_samples) row.sample.flags = 1;
  const ChangedCell resident = explanations(judge_of(results)).at(0).changes.at(0);
  EXPECT_NEAR(resident.ratio, 0.8, 1e-9);
  EXPECT_EQ(resident.verdict, stats::Verdict::faster);
}

TEST(Explanations, OnlySquaresWithAllBatchesTellALine) {
  const Intervention at_one{InterventionKind::batch, 1};
  const Intervention at_four{InterventionKind::batch, 4};
  auto late = squares(5, 7);
  late.insert(late.end(), 10, 20);  // beside the cell alone: a line of its own would begin at 18
  const auto found = explanation_of({{as_it_is, squares(33, 17)}, {at_one, squares(2, 7)}, {at_four, late}});
  ASSERT_TRUE(found.line);
  EXPECT_NEAR(found.line->calls_seconds, 1, 1e-9);
  EXPECT_NEAR(found.line->seconds_per_row, 1, 1e-9);
}

TEST(Explanations, KnowABentLine) {
  const Intervention at_one{InterventionKind::batch, 1};
  const Intervention at_four{InterventionKind::batch, 4};
  const auto found = explanation_of({{as_it_is, squares(10)}, {at_one, squares(1)}, {at_four, squares(9)}});
  EXPECT_GT(found.line->misfit, stats::rules::most_misfit);
}

TEST(Explanations, OfACellThatFailedKeepItsOutcome) {
  ResultsBuilder made;
  made.explanation(made.trial(arm("native", "eager", 32)), {{as_it_is, {}}, {emptied, {}}});
  made.results.interventions[0].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal 11"};
  EXPECT_EQ(sweep::reason_of(explanations(judge_of(made.results)).at(0).outcome), "crashed: signal 11");
}

TEST(Explanations, AChangeThatDoesOtherWorkHasNoFigure) {
  auto results = explained_results();
  results.interventions[1].verified = sweep::Verified::no;
  EXPECT_TRUE(std::isnan(explanations(judge_of(results)).at(0).changes[0].ratio));
}

TEST(Explanations, ABatchThatDoesNoWorkIsNoPointOfTheLine) {
  auto results = explained_results();
  results.interventions[3].verified = sweep::Verified::no;  // batch 1, faster than the hardware
  EXPECT_THAT(explanations(judge_of(results)).at(0).line->batches, ElementsAre(4, 32));
}

TEST(Explanations, OfACellThatDoesNoWorkAreNone) {
  auto results = explained_results();
  results.interventions[0].verified = sweep::Verified::no;
  results.interventions[0].verified_detail = "faster than the hardware: 1 ns";
  const auto found = explanations(judge_of(results)).at(0);
  EXPECT_EQ(found.verified, sweep::Verified::no);
  EXPECT_EQ(found.verified_detail, "faster than the hardware: 1 ns");
  EXPECT_TRUE(std::isnan(found.changes[0].ratio));
  EXPECT_FALSE(found.line);
}

TEST(Explanations, KeepCellsApart) {
  ResultsBuilder made;
  const auto one = made.trial(arm("native", "eager", 32));
  const auto other = made.trial(arm("native", "graph", 32));
  made.explanation(one, {{as_it_is, squares(4)}, {emptied, squares(1)}});
  made.explanation(other, {{as_it_is, squares(2)}, {emptied, squares(1)}});
  const auto found = explanations(judge_of(made.results));
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[1].trial, other);
  EXPECT_NEAR(found[0].changes.at(0).ratio, 0.25, 1e-9);
  EXPECT_NEAR(found[1].changes.at(0).ratio, 0.5, 1e-9);
}

TEST(WriteExplanations, WritesTheFiguresIntoTheRows) {
  auto results = explained_results();
  write_explanations(results, explanations(judge_of(results)));
  const auto& rows = results.interventions;
  EXPECT_NEAR(rows[0].calls_seconds, 60e-6, 1e-10);
  EXPECT_TRUE(std::isnan(rows[0].ratio));
  EXPECT_NEAR(rows[1].ratio, 0.8, 1e-9);
  EXPECT_NEAR(rows[1].removed_seconds, 20e-6, 1e-12);
  EXPECT_EQ(rows[1].verdict, "faster");
  EXPECT_TRUE(std::isnan(rows[2].ratio));
  EXPECT_EQ(rows[2].verdict, "");
  EXPECT_TRUE(std::isnan(rows[1].calls_seconds));
}

}  // namespace
}  // namespace regatta::analysis
