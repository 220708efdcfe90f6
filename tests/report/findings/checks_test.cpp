#include "report/findings/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "regatta/report/report.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::StartsWith;
using testing_support::full_results;

struct Full {
  results::Results results = full_results();
  analysis::Findings findings = analysis::findings_of(results);

  [[nodiscard]] Check check(const std::string& part) const {
    for (const Check& each : checks_of(view_of(results, findings))) {
      if (each.text.find(part) != std::string::npos) return each;
    }
    return {false, "no check says '" + part + "'"};
  }
};

TEST(Checks, CountsWhatIdenticalCodeSaid) {
  Full full;
  full.findings.contrasts.identical = {{3, 1, 0}, 0.006};
  EXPECT_EQ(full.check("against itself").text,
            "the same code timed against itself: 3 shown to be the same, 1 undecided, 0 called different");
  EXPECT_TRUE(full.check("against itself").passed);
  full.findings.contrasts.identical.wrong = 1;
  EXPECT_FALSE(full.check("against itself").passed);
  full.findings.contrasts.identical = {{0, 3, 0}, 0.006};  // nothing was confirmed
  EXPECT_FALSE(full.check("against itself").passed);
}

TEST(Doubted, AreDifferencesThatIdenticalCodeCouldHaveToo) {
  Full full;
  auto& contrasts = full.findings.contrasts;
  ASSERT_FALSE(contrasts.contrasts.empty());
  contrasts.clones.clear();
  contrasts.contrasts[0].ratio = 1.02;  // the margin is 1 %, and three times that is doubted
  contrasts.identical = {{0, 2, 0}, 0};
  EXPECT_TRUE(doubted(full.results, full.findings).at(0));
  contrasts.contrasts[0].ratio = 1.5;
  EXPECT_FALSE(doubted(full.results, full.findings).at(0));
  contrasts.contrasts[0].ratio = 1.02;
  contrasts.clones.emplace_back().verdict = stats::Verdict::undecided;  // and without an interval
  EXPECT_FALSE(doubted(full.results, full.findings).at(0)) << "how much is doubted is not known";
  contrasts.identical = {{3, 0, 0}, 0};
  EXPECT_FALSE(doubted(full.results, full.findings).at(0)) << "it was shown to be the same";
}

TEST(Checks, AFloorFarAboveTheMarginIsNotPassed) {
  Full full;
  full.findings.contrasts.identical.floor = 0.006;
  EXPECT_EQ(full.check("floor").text,
            "floor 0.6 % (how far identical code differed), margin 1 % (what counts as none)");
  EXPECT_TRUE(full.check("floor").passed);
  full.findings.contrasts.identical.floor = 0.03;
  EXPECT_FALSE(full.check("floor").passed);
  EXPECT_THAT(full.check("floor").text, HasSubstr("smaller differences than the floor get no verdict"));
}

TEST(Checks, SayFirstWhatIsNotToBeBelieved) {
  Full full;
  full.findings.contrasts.identical = {{3, 0, 0}, 0.006};
  full.findings.contrasts.clones.clear();
  const auto sentence = [&] { return not_passed_sentence(checks_of(view_of(full.results, full.findings))); };
  EXPECT_EQ(sentence(), "");
  full.findings.contrasts.identical = {{0, 2, 0}, 0.0204};
  EXPECT_EQ(
      sentence(),
      "Checks not passed: the same code timed against itself was not shown to be the same, so believe no difference "
      "below 6.1 % (3 times the floor of 2.04 %): all verdicts here are larger");
  full.findings.contrasts.identical = {{3, 0, 0}, 0.0204};
  EXPECT_EQ(sentence(), "Checks not passed: differences below 2.04 % get no verdict here");
  full.findings.contrasts.identical = {{1, 0, 1}, 0.001};
  EXPECT_EQ(
      sentence(),
      "Checks not passed: the same code timed against itself was not shown to be the same, so believe no difference "
      "below 3 % (3 times the margin of 1 %): all verdicts here are larger");
  const auto told = full.findings.contrasts.contrasts;
  for (analysis::Contrast& each : full.findings.contrasts.contrasts) each.verdict = stats::Verdict::undecided;
  EXPECT_THAT(sentence(), testing::EndsWith("(3 times the margin of 1 %): no difference was told here"));
  full.findings.contrasts.contrasts = told;
  full.results.trials[2].verified = sweep::Verified::no;
  EXPECT_THAT(sentence(), HasSubstr("all verdicts here are larger; 1 of 9 cells were not shown to do the same work"));
}

TEST(Checks, BelieveNothingThatTheIntervalOfIdenticalCodeLeavesOpen) {
  Full full;
  full.findings.contrasts.identical = {{0, 1, 0}, 0};
  analysis::CloneCheck clone;
  clone.low = 0.8;
  clone.high = 1.1;
  full.findings.contrasts.clones = {clone};
  const auto sentence = [&] { return not_passed_sentence(checks_of(view_of(full.results, full.findings))); };
  EXPECT_EQ(
      sentence(),
      "Checks not passed: the same code timed against itself was not shown to be the same, so believe no difference "
      "below 3 % (3 times the margin of 1 %), nor one with native below 25 % (as far as its interval reaches): all "
      "verdicts here are larger");
  EXPECT_EQ(full.check("floor").text, "floor not known, margin 1 % (what counts as none)");
  analysis::Contrast& small = full.findings.contrasts.contrasts[1];
  small.verdict = stats::Verdict::slower;
  small.ratio = 1.2;
  EXPECT_THAT(sentence(), testing::ContainsRegex(": numpy .* is smaller$")) << "native is its baseline";
  full.findings.contrasts.clones[0].trial = full.findings.contrasts.contrasts[1].a;
  EXPECT_THAT(sentence(), HasSubstr("one with numpy below 25 %"));
  full.findings.contrasts.clones[0].low.reset();
  EXPECT_EQ(sentence(), "Checks not passed: it is not known how small a difference can be believed here");
}

TEST(Checks, TellWhereThePlaceInARoundChangesTimes) {
  Full full;
  EXPECT_THAT(full.check("place of a slice").text, StartsWith("no check"));
  full.findings.contrasts.contrasts[1].flags = {"position"};
  EXPECT_FALSE(full.check("place of a slice").passed);
  EXPECT_EQ(full.check("place of a slice").text,
            "the place of a slice in its round changes times (position) in 1 of 6 comparisons: numpy batch 1");
}

TEST(Checks, CountsCellsThatDoTheSameWork) {
  Full full;
  EXPECT_EQ(full.check("same work").text, "9 of 9 cells were shown to do the same work");
  EXPECT_TRUE(full.check("same work").passed);
  full.results.trials[2].verified = sweep::Verified::unchecked;
  EXPECT_FALSE(full.check("same work").passed);
  full.results.trials[2].verified = sweep::Verified::no;
  EXPECT_THAT(full.check("same work").text, HasSubstr("8 of 9 cells were shown to do the same work, 1 do not"));
  full.results.trials[2].verified = sweep::Verified::close;
  EXPECT_FALSE(full.check("same work").passed);
  EXPECT_THAT(full.check("same work").text, HasSubstr("same work, 1 came close and is not verified"));
}

TEST(Checks, TellWhichCellsHaveNothingThatDoesTheSameWork) {
  Full full;
  full.results.trials[2].verified = sweep::Verified::unchecked;
  set(full.results.trials[2].facts, sweep::Fact::verified_detail, std::string(sweep::nothing_to_check_against));
  EXPECT_TRUE(full.check("same work").passed);
  EXPECT_EQ(full.check("same work").text,
            "8 of 8 cells were shown to do the same work; 1 has a batch, model, data or work that no other trial has "
            "beside it: not checked");
}

TEST(Checks, CountsDisturbedSlicesAndFailsOnThrottling) {
  Full full;
  EXPECT_EQ(full.check("disturbed").text,
            "2 of 272 slices disturbed (kept, flagged: 2 preempted; native eager 2 of 80), none throttled");
  EXPECT_TRUE(full.check("disturbed").passed);
  for (auto& row : full.results.samples) row.sample.flags = 2;
  EXPECT_FALSE(full.check("disturbed").passed);
  EXPECT_THAT(full.check("disturbed").text, StartsWith("272 slices throttled"));
}

TEST(Checks, FailsWhereHeatOrPowerSlowedADevice) {
  Full full;
  full.results.blocks[0].flags = "other run,device throttled";
  EXPECT_FALSE(full.check("disturbed").passed);
  EXPECT_THAT(full.check("disturbed").text, StartsWith("1 of " + std::to_string(full.results.blocks.size()) +
                                                       " blocks on a throttled device; 2 of 272 slices"));
  EXPECT_THAT(full.check("disturbed").text, HasSubstr("no slice throttled"));
}

TEST(Checks, FailsWhereARatioHangsOnDisturbedSlices) {
  Full full;
  auto& contrast = full.findings.contrasts.contrasts[0];
  contrast.undisturbed = analysis::Contrast::Undisturbed{contrast.ratio * 1.001, {}, {}, 5};
  EXPECT_TRUE(full.check("disturbed").passed);
  contrast.undisturbed->ratio = contrast.ratio * 1.2;
  EXPECT_FALSE(full.check("disturbed").passed);
  EXPECT_THAT(full.check("disturbed").text, HasSubstr("; leaving them out moves 1 of 6 ratios, "));
}

}  // namespace
}  // namespace regatta::report
