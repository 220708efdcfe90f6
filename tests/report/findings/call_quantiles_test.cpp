#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/findings/findings.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::sample_results;

std::string sentence_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return quantiles_sentence(view_of(results, findings));
}

/// As if samples covered several steps each.
results::Results grouped() {
  auto results = sample_results();
  for (auto& trial : results.trials) {
    for (const char* end : {"", "_low", "_high"}) trial.metrics.erase(std::string("latency_p95") + end);
    for (const char* count : {"calls", "call_slices"}) trial.metrics[count] = 0;
  }
  return results;
}

TEST(CallQuantiles, SayWhatTheyAreAndWhyOneIsMissing) {
  const std::string sentence = sentence_of(sample_results());
  EXPECT_THAT(sentence, HasSubstr("p95, p99: of single calls (closed loop, service time)"));
  EXPECT_THAT(sentence, HasSubstr("; no p99: its calls lie in 18 slices (20 are needed)"));
}

TEST(CallQuantiles, OfGroupsAreNotThereAndTheSentenceSaysHowToHaveThem) {
  EXPECT_EQ(sentence_of(grouped()),
            "no p95: no call was timed by itself: \"metric\": \"latency_p95\" under \"measure\" does that");
  const auto results = grouped();
  const auto findings = analysis::findings_of(results);
  EXPECT_TRUE(quantile_columns(view_of(results, findings)).empty());
}

TEST(CallQuantiles, CountTheTrialsThatHaveNone) {
  auto results = sample_results();
  for (const char* end : {"", "_low", "_high"}) results.trials[1].metrics.erase(std::string("latency_p95") + end);
  results.trials[1].metrics["calls"] = 57;
  EXPECT_THAT(sentence_of(results), HasSubstr("; no p95 of 1 of "));
  EXPECT_THAT(sentence_of(results), HasSubstr("because only 57 calls were timed by themselves (200 are needed)"));
}

TEST(CallQuantiles, OfNothingThatFinishedNeedNoSentence) {
  auto results = sample_results();
  for (auto& trial : results.trials) {
    trial.outcome = sweep::Skipped{"no"};
    trial.metrics.clear();
  }
  EXPECT_EQ(sentence_of(results), "");
}

}  // namespace
}  // namespace regatta::report
