#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>

#include "regatta/analysis/findings.hpp"
#include "regatta/stats/disturbance_flags.hpp"
#include "report/findings/findings.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::arm;
using testing_support::ResultsBuilder;

/// Comparisons of one sweep, one for each call of `add`.
struct Told {
  ResultsBuilder made;
  analysis::Findings findings;

  Told() {
    made.results.axis_names = {"mode", "batch"};
    made.results.provenance.sweep_file = "s.json";
  }

  /// Told and precise.
  analysis::Contrast& add(std::int64_t batch, double resolution) {
    const TrialIndex b = made.trial(arm("native", "graph", batch)), a = made.trial(arm("native", "eager", batch));
    analysis::Contrast& contrast = findings.contrasts.contrasts.emplace_back();
    contrast.block = made.block({b, a});
    contrast.a = a;
    contrast.b = b;
    contrast.ratio = 2;
    contrast.low = 1.9;
    contrast.high = 2.1;
    contrast.verdict = stats::Verdict::slower;
    contrast.pairs.n = 3;
    contrast.resolution = resolution;
    return contrast;
  }

  /// Nothing is known of it, and so much more would tell `target`.
  analysis::Contrast& add_open(std::int64_t batch, double resolution, double target, double seconds) {
    analysis::Contrast& contrast = add(batch, resolution);
    contrast.verdict = stats::Verdict::undecided;
    contrast.outlook = analysis::Contrast::Outlook{target, seconds > 0 ? 2 : 0, seconds};
    return contrast;
  }

  [[nodiscard]] std::string sentence() const {
    analysis::Findings found = findings;
    found.contrasts.axes = analysis::axes_of(made.results);
    const View view = view_of(made.results, found);
    const std::string further = further_sentence(view);
    return resolution_sentence(view) + (further.empty() ? "" : " " + further);
  }
};

TEST(Resolution, OfAReportWhereAllIsToldIsOneNumber) {
  Told told;
  told.add(1, 0.014);
  EXPECT_EQ(told.sentence(), "This run can tell differences of 1.4 % and more.");
  told.add(32, 0.012);
  EXPECT_EQ(told.sentence(), "This run can tell differences of 1.4 % and more.");
}

TEST(Resolution, NamesSettingsThatDifferByAFactorOfTwo) {
  Told told;
  told.add(1, 0.09);
  told.add(32, 0.046);
  EXPECT_THAT(told.sentence(), HasSubstr("differences of 9 % and more."));
  told.add(256, 0.012);
  EXPECT_THAT(told.sentence(),
              HasSubstr("differences of 1.2 % and more at batch 256, 4.6 % at batch 32, 9 % at batch 1."));
  told.add(512, 0.02);
  told.add(1024, 0.03);
  EXPECT_THAT(told.sentence(),
              HasSubstr("differences of 1.2 % and more at batch 256 (the finest of 5 settings), and of 9 % "
                        "at batch 1 (the coarsest)."));
}

TEST(Resolution, BeyondAFactorOfTwoIsAFactor) {
  Told told;
  told.add(1, 1.4);
  EXPECT_EQ(told.sentence(), "This run can tell differences of a factor of 2.4 and more.");
  EXPECT_EQ(difference_text(0.997), "100 %");
  EXPECT_EQ(difference_text(345.6), "a factor of 347");
}

TEST(Resolution, SaysThatAVerdictNeedsTwoPairs) {
  Told told;
  told.add_open(1, 0.6, 0.02, 50).pairs.n = 1;
  EXPECT_EQ(
      told.sentence(),
      "This run can tell differences of 60 % and more. Each comparison has one pair of processes so far, and a "
      "verdict needs two. About 50 s more would lower that to 2 %: regatta run s.json --rerun undecided --for 1m");
  told.add(32, 0.014);
  EXPECT_THAT(told.sentence(), HasSubstr(". 1 of 2 comparisons has one pair of processes so far, and a verdict "));
}

TEST(Resolution, SaysWhereThereIsNoIntervalYet) {
  Told told;
  analysis::Contrast& contrast = told.add_open(1, 0, 0, 0);
  contrast.resolution = std::nullopt;
  contrast.low = contrast.high = std::nullopt;
  contrast.outlook = std::nullopt;
  EXPECT_EQ(told.sentence(), "No comparison has an interval yet, because no pair of processes has finished.");
  told.add(32, 0.05);
  EXPECT_EQ(told.sentence(), "This run can tell differences of 5 % and more. 1 of 2 comparisons has no interval yet.");
}

/// So many of ten slices of the first trial are disturbed.
void disturb(ResultsBuilder& made, std::uint32_t disturbed) {
  for (std::uint32_t slice = 0; slice < 10; ++slice) {
    made.sample(BlockIndex{0}, {0, 0, slice, stats::Phase::steady, 1});
    made.results.samples.back().sample.flags = slice < disturbed ? stats::preempted : 0;
  }
}

TEST(Resolution, OfHalfOfTheComparisonsIsToldWhereAFewAreMuchCoarser) {
  Told told;
  for (const double each : {0.07, 0.05, 0.5}) told.add(32, each);
  EXPECT_THAT(told.sentence(), HasSubstr("differences of 50 % and more.")) << "of three, half says little";
  told.add(32, 0.06);
  EXPECT_THAT(told.sentence(),
              HasSubstr("differences of 6 % and more in half of 4 comparisons, and of 50 % and more in all."));
  told.findings.contrasts.contrasts[2].resolution = 0.11;
  EXPECT_THAT(told.sentence(), HasSubstr("differences of 11 % and more."));
}

TEST(Resolution, BlamesABusyMachineForMissingAnswers) {
  Told told;
  told.add_open(1, 0.5, 0.02, 0);
  disturb(told.made, 7);
  EXPECT_THAT(told.sentence(),
              HasSubstr("7 of 10 slices were disturbed: on a quieter machine smaller differences can be told."));
  told.findings.contrasts.contrasts[0].verdict = stats::Verdict::slower;
  EXPECT_THAT(told.sentence(), Not(HasSubstr("disturbed"))) << "all is known";
  told.findings.contrasts.contrasts[0].resolution = 1.4;
  EXPECT_THAT(told.sentence(), HasSubstr("disturbed")) << "but only factors";
}

TEST(Resolution, BlamesNoMachineOfWhichFewSlicesWereDisturbed) {
  Told told;
  told.add_open(1, 0.5, 0.02, 0);
  disturb(told.made, 4);
  EXPECT_THAT(told.sentence(), Not(HasSubstr("disturbed")));
}

TEST(Resolution, SaysWhatMoreTimeWouldLowerItTo) {
  Told told;
  told.add_open(1, 0.09, 0.04, 700);
  EXPECT_EQ(told.sentence(),
            "This run can tell differences of 9 % and more. About 12 min more would lower that to 4 %: regatta run "
            "s.json --rerun undecided --for 12m");
  told.add_open(32, 0.08, 0.05, 60);
  EXPECT_THAT(told.sentence(), HasSubstr("About 13 min more would lower that to 5 %: ")) << "the coarsest of all";
}

TEST(Resolution, IsNotLoweredByAHairForHalfAnHour) {
  Told told;
  told.add(1, 0.086).precise = false;
  told.findings.contrasts.contrasts[0].outlook = analysis::Contrast::Outlook{0.074, 9, 2160};
  EXPECT_THAT(told.sentence(), Not(HasSubstr("more would")));
  told.findings.contrasts.contrasts[0].outlook->target = 0.06;
  EXPECT_THAT(told.sentence(), HasSubstr("About 36 min more would lower that to 6 %: "));
}

TEST(Resolution, OfWhatIsToldAndPreciseIsNotLoweredByMoreTime) {
  Told told;
  told.add(1, 0.12).outlook = analysis::Contrast::Outlook{0.02, 5, 300};
  EXPECT_THAT(told.sentence(), Not(HasSubstr("more would"))) << "--rerun undecided does not go on with it";
  told.add_open(32, 0.05, 0.02, 60);
  EXPECT_THAT(told.sentence(), HasSubstr("About 60 s more would probably answer what is not known yet: regatta run"));
  told.findings.contrasts.contrasts[0].precise = false;
  EXPECT_THAT(told.sentence(), HasSubstr("About 60 s more would probably answer")) << "answers before precision";
  told.findings.contrasts.contrasts[1].verdict = stats::Verdict::slower;
  EXPECT_THAT(told.sentence(), HasSubstr("About 5 min more would lower the 12 % to 5 %")) << "the other one stays";
}

TEST(Resolution, PromisesNothingWhereNoTimeTells) {
  Told told;
  told.add_open(1, 0.3, 0.02, 0);
  EXPECT_EQ(told.sentence(), "This run can tell differences of 30 % and more.");
  told.add_open(32, 0.4, 0.02, 60).flags = {stats::Flag::cores_shared};
  EXPECT_THAT(told.sentence(), Not(HasSubstr("more would"))) << "more time does not give it cores of its own";
}

TEST(Resolution, OfASweepThatComparesNothingIsSilent) { EXPECT_EQ(Told().sentence(), ""); }

}  // namespace
}  // namespace regatta::report
