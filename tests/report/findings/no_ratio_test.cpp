#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/findings/findings.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using analysis::NoContrastReason;
using testing::ElementsAre;
using testing_support::sample_results;

std::vector<NoRatio> found_in(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  return no_ratios(view_of(results, findings));
}

TEST(NoRatios, SayHowATrialEnded) {
  const auto found = found_in(sample_results());
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].reason, "failed: crashed: signal 11 (segmentation fault)");
  EXPECT_THAT(found[0].trials, ElementsAre(TrialIndex{5}));
  EXPECT_EQ(found[1].reason, "skipped: engine torch is not installed here");
}

TEST(NoRatios, HoldAllTrialsOfOneReason) {
  auto results = sample_results();
  results.trials[0].outcome = sweep::Skipped{"not today"};  // native graph at batch 1
  results.blocks[0].has_baseline = false;
  const auto found = found_in(results);
  ASSERT_EQ(found.size(), 3U);
  EXPECT_EQ(found[0].reason, "no baseline here: native graph batch 1 skipped: not today");
  EXPECT_THAT(found[0].trials, ElementsAre(TrialIndex{1}, TrialIndex{2}));
}

TEST(NoRatios, NameABaselineThatFailed) {
  auto results = sample_results();
  results.trials[3].outcome = sweep::Failed{sweep::FailureKind::timed_out, "no answer in 300 s"};
  EXPECT_EQ(found_in(results).at(0).reason,
            "no baseline here: native graph batch 32 failed: timed_out: no answer in 300 s");
}

TEST(NoRatios, NameTheTrialThatDoesOtherWork) {
  auto results = sample_results();
  results.trials[1].verified = sweep::Verified::no;
  sweep::set(results.trials[1].facts, sweep::Fact::verified_detail, "step 1: losses differ");
  EXPECT_EQ(found_in(results).at(0).reason,
            "not compared: native eager batch 1 does not do the same work (step 1: losses differ)");
}

/// The sentence for eager at batch 1.
std::string sentence_of(NoContrastReason why, sweep::Metric metric = sweep::Metric::time_per_step,
                        const char* result = nullptr) {
  const auto results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  findings.contrasts.metric = metric;
  if (result != nullptr) findings.contrasts.result = sweep::ComparedResult{result, sweep::Better::lower};
  findings.contrasts.missing = {{TrialIndex{1}, why, TrialIndex{1}, 2}};
  return no_ratios(view_of(results, findings)).at(0).reason;
}

TEST(NoRatios, SayWhatIsMissingAndWhatToDo) {
  EXPECT_EQ(sentence_of(NoContrastReason::no_baseline),
            "no baseline here: no trial of the sweep matches it with these values");
  EXPECT_EQ(sentence_of(NoContrastReason::no_square), "not compared: it has no two complete rounds with its baseline");
  EXPECT_EQ(
      sentence_of(NoContrastReason::few_slices),
      "not compared: \"slices\" in \"measure\" is 2, and two rounds with its baseline take two slices of each arm; "
      "raise it, or leave it out");
  EXPECT_EQ(sentence_of(NoContrastReason::no_value, sweep::Metric::latency_p95),
            "not compared: it gave no value of latency_p95, as it had too little time. If it was measured for another "
            "metric, run the sweep with another --out");
  EXPECT_EQ(sentence_of(NoContrastReason::no_result, sweep::Metric::result, "gain"),
            "not compared: in a run of it, or of its baseline, gain is missing or no finite number. If it was measured "
            "for another metric, run the sweep with another --out");
}

}  // namespace
}  // namespace regatta::report
