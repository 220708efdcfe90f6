#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/hand_made.hpp"
#include "analysis/learning/trained.hpp"
#include "regatta/report/report.hpp"
#include "report/findings.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing_support::findings_with;
using testing_support::full_results;
using testing_support::sample_results;

std::vector<NextStep> steps_of(const results::Results& results) {
  return next_steps(results, analysis::findings_of(results));
}

std::vector<NextStep> steps_once_decided(const results::Results& results, bool are_confirmed) {
  auto contrasts = analysis::contrasts(results);
  for (auto& contrast : contrasts.contrasts) {
    contrast.verdict = stats::Verdict::same;
    contrast.confirmed = are_confirmed;
  }
  return next_steps(results, findings_with(results, contrasts));
}

TEST(NextSteps, MeasureOnWhatIsUndecided) {
  const auto steps = steps_of(full_results());
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].command, "regatta run sweeps/sample.json --rerun undecided --for 1m");
  EXPECT_EQ(steps[0].purpose, "measures the comparison that is not known yet");
}

TEST(NextSteps, GoOnWhereItStoppedAndTryWhatFailedAgain) {
  auto results = sample_results();
  results.trials[0].outcome = sweep::Lost{};
  EXPECT_THAT(steps_of(results),
              ElementsAre(Field(&NextStep::command, "regatta run sweeps/sample.json"),
                          Field(&NextStep::command, "regatta run sweeps/sample.json --rerun failed")));
}

TEST(NextSteps, LeadOnWhereNothingIsOpen) {
  const auto steps = steps_once_decided(full_results(), true);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].command, "regatta run sweeps/sample.json --set batch=64");
}

TEST(NextSteps, ConfirmWhatIsEarlyOnceAllIsDecided) {
  const results::Results results = full_results();
  const auto steps = steps_once_decided(results, false);
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_THAT(steps[0].command, testing::StartsWith("regatta run sweeps/sample.json --rerun early --for "));
  EXPECT_EQ(steps[0].purpose,
            fmt::format("confirms the {} comparisons that are early", analysis::contrasts(results).contrasts.size()));
}

TEST(NextSteps, LeadToABatchThatWasNotMeasured) {
  auto results = full_results();
  for (auto& trial : results.trials) trial.parameters.set(sweep::Param::batch, std::int64_t{64});
  EXPECT_THAT(steps_once_decided(results, true),
              ElementsAre(Field(&NextStep::command, "regatta run sweeps/sample.json --set batch=256")));
}

TEST(NextSteps, SayHowManyRanksOpenTrainingsWant) {
  auto results = testing_support::trained({.quality = testing_support::falling(0.95, 0.004), .most_legs = 20});
  for (auto& trial : results.trials) {
    trial.outcome = sweep::Lost{};
    trial.parameters.set(sweep::Param::ranks, std::int64_t{2});
  }
  EXPECT_THAT(steps_of(results),
              ElementsAre(Field(&NextStep::purpose,
                                "goes on where it stopped; what is open has up to 2 ranks: it takes --ranks 2, not "
                                "fewer")));
}

TEST(NextSteps, NameAsManyRanksAsWhatIsOpenNeeds) {
  auto results = full_results();
  results.provenance.command_line = "regatta run s.json --ranks 2 --out mine";
  results.trials.front().outcome = sweep::Lost{};
  results.trials.front().parameters.set(sweep::Param::ranks, std::int64_t{4});
  EXPECT_THAT(steps_of(results),
              testing::Contains(Field(&NextStep::command, "regatta run s.json --ranks 4 --out mine")));
}

TEST(NextSteps, LeadToNoOtherBatchWhereNothingCouldRun) {
  auto results = full_results();
  for (auto& trial : results.trials) {
    trial.parameters.set(sweep::Param::batch, std::int64_t{64});
    trial.outcome = sweep::Skipped{"needs a cuda device", sweep::SkipKind::not_answerable};
  }
  EXPECT_THAT(next_steps(results, findings_with(results, {})), testing::IsEmpty());
}

TEST(NextSteps, PromiseNoTimeWhereTheFileFixesHowManySlicesThereAre) {
  const auto results = full_results();
  auto contrasts = analysis::contrasts(results);
  for (auto& contrast : contrasts.contrasts) contrast.why_stopped = {sweep::WhyStopped::fixed_slices};
  const auto steps = next_steps(results, findings_with(results, contrasts));
  EXPECT_THAT(steps, testing::Contains(Field(&NextStep::command, "regatta run sweeps/sample.json --rerun undecided")));
}

TEST(NextSteps, MeasureTheBestOfManyAgain) {
  testing_support::HandMade made;
  for (const double ratio : {2.0, 3.0, 4.0, 5.0, 6.0}) made.cell(ratio);
  for (auto& contrast : made.contrasts.contrasts) contrast.confirmed = true;
  made.made.results.provenance.sweep_file = "s.json";
  const auto steps = next_steps(made.made.results, findings_with(made.made.results, made.contrasts));
  ASSERT_EQ(steps.size(), 1U);
  EXPECT_EQ(steps[0].command, "regatta run s.json --rerun fastest");
  EXPECT_EQ(steps[0].purpose,
            "measures the best cells of 1 setting afresh: chosen as the best of many, their figures may flatter them");
}

TEST(NextSteps, AreNoneWithoutASweepFile) {
  auto results = full_results();
  results.provenance.sweep_file.clear();
  EXPECT_TRUE(steps_of(results).empty());
}

TEST(NextSteps, OfTrainingGoOnOrAskForSeedsAndNeverForAnotherBatch) {
  using testing_support::falling;
  using testing_support::trained;
  EXPECT_TRUE(steps_of(trained({.quality = falling(0.95, 0.004)})).empty());
  EXPECT_THAT(steps_of(trained({.quality = falling(0.95, 0.004), .most_legs = 20})),
              ElementsAre(Field(&NextStep::purpose, "goes on where it stopped")));
  EXPECT_THAT(steps_of(trained({.configurations = 3, .seeds = 3, .searches = false, .quality = falling(0.95, 0.1)})),
              ElementsAre(Field(&NextStep::purpose, testing::HasSubstr("enough for a verdict"))));
}

}  // namespace
}  // namespace regatta::report
