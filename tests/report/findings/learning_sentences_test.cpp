#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"
#include "report/findings/learning_words.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing_support::falling;

TEST(LearningSentences, CountWhatWasStoppedAndWhatItCost) {
  const auto results = testing_support::trained({.configurations = 18, .quality = falling(0.95, 0.03)});
  const auto learning = *analysis::learning_of(results);
  EXPECT_EQ(learning_counts(learning).substr(0, 28), "18 configurations, 3 rungs, ");
  EXPECT_THAT(stopped_text(learning), HasSubstr("of 18: "));
  EXPECT_THAT(stopped_text(learning), HasSubstr("% of the samples"));
  EXPECT_THAT(stopped_text(learning), HasSubstr("went on to the end as a check, and none would have been finalists"));
  EXPECT_THAT(cost_text(learning), HasSubstr("in place of 216 for all configurations"));
  EXPECT_THAT(noise_text(learning), HasSubstr("another seed alone changes validation accuracy by"));
}

TEST(LearningSentences, SayNothingOfASearchThatWasNone) {
  const auto results = testing_support::trained({.searches = false, .quality = falling(0.95, 0.03)});
  const auto learning = *analysis::learning_of(results);
  EXPECT_EQ(stopped_text(learning), "");
  EXPECT_THAT(noise_text(learning), HasSubstr("within 9 configurations, 108 runs)"));
  EXPECT_THAT(cost_text(learning), HasSubstr("108 of 108 trainings"));
}

TEST(LearningSentences, CountWhatRunsThatEndedEarlyDidTrain) {
  auto results = testing_support::trained({.searches = false, .quality = falling(0.95, 0.03)});
  for (auto& leg : results.legs) {
    leg.learned.end = sweep::LegEnd::stopped;
    leg.learned.curve.points.resize(2);  // half of the horizon
  }
  const auto learning = *analysis::learning_of(results);
  EXPECT_THAT(cost_text(learning), HasSubstr("54 of 108 trainings"));
  EXPECT_EQ(learning.tally.stopped_early, 108U);
}

TEST(LearningSentences, SayThatNothingWasTrainedWhereAllIsSkipped) {
  auto results = testing_support::trained({.searches = false, .quality = falling(0.95, 0.03)});
  for (auto& trial : results.trials) trial.outcome = sweep::Skipped{"no"};
  const auto learning = *analysis::learning_of(results);
  EXPECT_EQ(cost_text(learning), "");
  EXPECT_EQ(learning_counts(learning), "0 configurations, 12 seeds, 0 runs");
  EXPECT_EQ(learning.tally.skipped, 9U);
}

TEST(LearningSentences, SayWhoHadNoPlaceAmongTheFinalists) {
  auto results = testing_support::trained({.configurations = 18, .quality = falling(0.95, 0)});
  const auto learning = *analysis::learning_of(results);
  ASSERT_GT(learning.left_out, 0U);
  const auto findings = analysis::findings_of(results);
  EXPECT_THAT(learning_headline(view_of(results, findings), learning),
              testing::Contains(HasSubstr("may be as good, but \"at_most\" leaves places for 4 finalists")));
}

TEST(LearningSentences, TellTheTimeWithEachNumberOfRanks) {
  auto results = testing_support::trained(
      {.configurations = 2, .searches = false, .quality = falling(0.95, 0), .seconds_of_first = 2});
  for (std::size_t i = 0; i < 2; ++i) {
    results.trials[i].parameters.set(sweep::Param::learning_rate, 0.1);
    results.trials[i].parameters.set(sweep::Param::ranks, static_cast<std::int64_t>(i) + 1);
  }
  const auto findings = analysis::findings_of(results);
  EXPECT_THAT(
      learning_headline(view_of(results, findings), *findings.learning),
      testing::Contains(testing::MatchesRegex("One training takes 2.0[0-9] s with 1 rank, 1.0[0-9] s with 2 ranks")));
}

TEST(LearningSentences, KeepIntervalsOfAccuraciesWithinOne) {
  const auto results = testing_support::trained(
      {.configurations = 2, .seeds = 3, .searches = false, .quality = [](auto configuration, auto seed, double) {
         return std::optional(configuration == 0 ? 1.0 : seed % 2 == 0 ? 0.2 : 1.0);
       }});
  const auto learning = *analysis::learning_of(results);
  for (const auto& row : learning.ranking) {
    EXPECT_LE(row.validation.mean.range.high, 1);
    EXPECT_GE(row.validation.mean.range.low, 0);
    EXPECT_LE(row.behind.range.high, 1);
  }
}

}  // namespace
}  // namespace regatta::report
