// The findings of a sweep without a comparison.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/analysis/findings.hpp"
#include "report/command_results.hpp"
#include "report/findings/findings.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::vector<std::string> sentences_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  EXPECT_TRUE(is_study(view));
  return study_sentences(view);
}

TEST(StudySentences, NameTheSmallestAndTheLargestResultAndTheRangeOfTimes) {
  results::Results results = testing_support::command_results();
  results.trials[1].metrics["error"] = 0.25;
  results.trials[2].metrics["error"] = 4;
  EXPECT_THAT(sentences_of(results),
              ElementsAre("error is smallest at explicit, length 32 (0.25 K) and largest at implicit, length 16 (4 K).",
                          "steps is 256 in all 4 trials that report it.",
                          "A run takes 16.0 ms (explicit, length 16) to 32.0 ms (explicit, length 32)."));
}

TEST(StudySentences, SayHowManyTrialsShareAnExtreme) {
  results::Results results = testing_support::command_results();
  results.trials[0].metrics["error"] = results.trials[1].metrics["error"] = 0.25;
  results.trials[2].metrics["error"] = results.trials[3].metrics["error"] = 4;
  EXPECT_THAT(sentences_of(results).front(),
              "error is smallest in 2 of 4 trials, such as explicit, length 16 (0.25 K) and largest in 2 of 4 trials, "
              "such as implicit, length 16 (4 K).");
}

TEST(StudySentences, SayThatTimesAloneAreNoVerdict) {
  results::Results results = testing_support::command_results();
  for (auto& trial : results.trials) {
    trial.metrics.erase("error");
    trial.metrics.erase("steps");
    trial.facts = {};
  }
  EXPECT_THAT(sentences_of(results), ElementsAre(HasSubstr("A run takes"), HasSubstr("\"compare\" in the sweep file")));
}

TEST(StudySentences, SayWhereNothingIsKnownYet) {
  results::Results results = testing_support::command_results();
  for (auto& trial : results.trials) {
    trial.metrics.clear();
    trial.facts = {};
    trial.outcome = sweep::Lost{};
  }
  EXPECT_THAT(sentences_of(results), ElementsAre("No trial has a result yet."));
}

}  // namespace
}  // namespace regatta::report
