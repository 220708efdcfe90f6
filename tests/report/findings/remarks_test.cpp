#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/findings/findings.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::full_results;

struct Remarked {
  results::Results results = full_results();
  analysis::Findings findings = analysis::findings_of(results);

  Remarked() {
    findings.contrasts.clones[0].verdict = stats::Verdict::same;
    findings.contrasts.clones[0].plain = analysis::CloneCheck::PlainLoops{1.051, 1.02, 1.08};
  }
  [[nodiscard]] std::vector<std::string> remarks() const { return remarks_of(view_of(results, findings)); }
};

TEST(Remarks, SayHowFarApartPlainLoopsWereOnCodeThatWasShownToBeTheSame) {
  Remarked full;
  EXPECT_THAT(full.remarks(), ElementsAre("two plain loops, one after the other, would have called 1 of 1 identical "
                                          "pairs different: they were up to 5.1 % apart"));
  full.findings.contrasts.clones[0].verdict = stats::Verdict::undecided;
  EXPECT_THAT(full.remarks(), ElementsAre()) << "taking turns did no better";
}

TEST(Remarks, SayWhatAFlagDoesToAFigure) {
  Remarked full;
  full.findings.contrasts.contrasts[1].flags = {stats::Flag::slow_down, stats::Flag::spikes};
  EXPECT_THAT(full.remarks(), Contains(StartsWith("rare slow steps (spikes)")));
  EXPECT_THAT(full.remarks(),
              Contains("steps grew slower in the pilot (slow-down): figures are over the time measured, "
                       "in 1 of 6 comparisons: numpy batch 1"));
}

TEST(Remarks, NameTheSpeedsOfAnArmThatHasSeveral) {
  Remarked full;
  for (auto& row : full.results.samples) {
    if (row.trial == TrialIndex{2} && row.sample.square >= 4) row.sample.seconds *= 3;
  }
  EXPECT_THAT(full.remarks(),
              Contains(StartsWith("numpy batch 1 has 2 speeds: 50 % of slices at 60.0 us, 50 % of slices at 180 us")));
}

TEST(Remarks, TellThatATrialFinishedOnlyInALaterAttempt) {
  Remarked full;
  results::AttemptRow attempt;
  attempt.trial = TrialIndex{2};
  attempt.attempt = 1;
  attempt.message = "killed by signal 9 (Killed)\nand more";
  full.results.failed_attempts = {attempt};
  EXPECT_THAT(full.remarks(), Contains("numpy batch 1 finished after attempt 1 had failed (crashed: killed by signal 9 "
                                       "(Killed))"));
  full.results.trials[2].outcome = sweep::Failed{};
  EXPECT_THAT(full.remarks(), Not(Contains(HasSubstr("attempt")))) << "it has an entry of its own";
}

TEST(Remarks, AreNoneWithoutAComparison) {
  const results::Results results;
  const analysis::Findings findings;
  EXPECT_THAT(remarks_of(view_of(results, findings)), ElementsAre());
}

}  // namespace
}  // namespace regatta::report
