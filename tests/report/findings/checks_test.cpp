#include "report/findings/checks.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

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
  EXPECT_EQ(full.check("twice").text, "identical code twice: 3 same, 1 undecided, 0 false");
  EXPECT_TRUE(full.check("twice").passed);
  full.findings.contrasts.identical.wrong = 1;
  EXPECT_FALSE(full.check("twice").passed);
  full.findings.contrasts.identical = {{0, 3, 0}, 0.006};  // nothing was confirmed
  EXPECT_FALSE(full.check("twice").passed);
}

TEST(Checks, AFloorFarAboveTheMarginIsNotPassed) {
  Full full;
  full.findings.contrasts.identical.floor = 0.006;
  EXPECT_EQ(full.check("floor").text, "floor 0.6 %, margin 1 %");
  EXPECT_TRUE(full.check("floor").passed);
  full.findings.contrasts.identical.floor = 0.03;
  EXPECT_FALSE(full.check("floor").passed);
  EXPECT_THAT(full.check("floor").text, HasSubstr("smaller differences than the floor get no verdict"));
}

TEST(Checks, SaysHowFarApartPlainLoopsWere) {
  Full full;
  full.findings.contrasts.clones[0].plain = analysis::CloneCheck::PlainLoops{1.051, 1.02, 1.08};
  EXPECT_THAT(full.check("plain").text, HasSubstr("up to 5.1 % apart; 1 of 1 would have been called different"));
}

TEST(Checks, CountsCellsThatDoTheSameWork) {
  Full full;
  EXPECT_EQ(full.check("same work").text, "9 of 9 cells were shown to do the same work");
  EXPECT_TRUE(full.check("same work").passed);
  full.results.trials[2].verified = sweep::Verified::unchecked;
  EXPECT_FALSE(full.check("same work").passed);
  full.results.trials[2].verified = sweep::Verified::no;
  EXPECT_THAT(full.check("same work").text, HasSubstr("8 of 9 cells were shown to do the same work, 1 do not"));
}

TEST(Checks, CountsDisturbedSlicesAndFailsOnThrottling) {
  Full full;
  EXPECT_EQ(full.check("disturbed").text, "no throttling; 2 of 238 slices disturbed (kept, flagged: 2 preempted)");
  EXPECT_TRUE(full.check("disturbed").passed);
  for (auto& row : full.results.samples) row.sample.flags = 2;
  EXPECT_FALSE(full.check("disturbed").passed);
  EXPECT_THAT(full.check("disturbed").text, StartsWith("238 slices throttled"));
}

TEST(Checks, FailsWhereARatioHangsOnDisturbedSlices) {
  Full full;
  auto& contrast = full.findings.contrasts.contrasts[0];
  contrast.undisturbed = analysis::Contrast::Undisturbed{contrast.ratio * 1.001, {}, {}, 5};
  EXPECT_TRUE(full.check("disturbed").passed);
  contrast.undisturbed->ratio = contrast.ratio * 1.2;
  EXPECT_FALSE(full.check("disturbed").passed);
  EXPECT_THAT(full.check("disturbed").text, HasSubstr("; without them 1 comparison has another ratio"));
}

}  // namespace
}  // namespace regatta::report
