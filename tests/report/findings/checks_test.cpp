#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "regatta/stats/disturbance_flags.hpp"
#include "report/findings/findings.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::full_results;

struct Full {
  results::Results results = full_results();
  analysis::Findings findings = analysis::findings_of(results);

  [[nodiscard]] std::string check(const std::string& part) const {
    for (const std::string& each : checks_of(view_of(results, findings))) {
      if (each.find(part) != std::string::npos) return each;
    }
    return "no check says '" + part + "'";
  }
};

TEST(Checks, SayHowFarApartTheSameCodeWas) {
  Full full;
  analysis::Contrasts& contrasts = full.findings.contrasts;
  analysis::CloneCheck& clone = contrasts.clones.at(0);
  clone.ratio = 0.996, clone.low = 0.991, clone.high = 1.006;
  EXPECT_EQ(full.check("same code"), "the same code measured twice: 0.4 % apart [1.009x faster, 1.006x slower]");
  clone.low = clone.high = std::nullopt;
  EXPECT_EQ(full.check("same code"), "the same code measured twice: 0.4 % apart");
  contrasts.clones.push_back(clone);
  contrasts.clones.back().ratio = 1.02;
  contrasts.identical = {.same = 1, .undecided = 0, .wrong = 1};
  EXPECT_EQ(full.check("same code"), "the same code measured twice, 2 times: at most 2 % apart; told apart 1 time");
  contrasts.clones.clear();
  contrasts.identical = {};
  EXPECT_EQ(full.check("same code"), "the same code was not measured twice, so nothing is known of bias");
}

TEST(Checks, TellWhereThePlaceInARoundChangesTimes) {
  Full full;
  EXPECT_THAT(full.check("place of a slice"), StartsWith("no check"));
  full.findings.contrasts.contrasts[1].flags = {stats::Flag::position};
  EXPECT_EQ(full.check("place of a slice"),
            "the place of a slice in its round changes times in 1 of 6 comparisons: numpy batch 1");
}

TEST(Checks, CountsCellsThatDoTheSameWork) {
  Full full;
  EXPECT_EQ(full.check("same work"), "All 9 trials were verified to do the same work");
  full.results.trials[2].verified = sweep::Verified::unchecked;
  EXPECT_EQ(full.check("same work"), "8 of 9 trials were verified to do the same work");
  full.results.trials[2].verified = sweep::Verified::no;
  EXPECT_THAT(full.check("same work"), HasSubstr("8 of 9 trials were verified to do the same work, 1 do not"));
  full.results.trials[2].verified = sweep::Verified::close;
  EXPECT_THAT(full.check("same work"), HasSubstr("same work, 1 came close and is not verified"));
  full.results.trials[2].verified = sweep::Verified::other_weights;
  EXPECT_THAT(full.check("same work"), HasSubstr("same work, 1 starts from other weights and is not verified"));
}

TEST(Checks, TellWhichCellsHaveNothingThatDoesTheSameWork) {
  Full full;
  full.results.trials[2].verified = sweep::Verified::alone;
  EXPECT_EQ(
      full.check("same work"),
      "All 8 trials were verified to do the same work; 1 has a batch, model, data or work that no other trial has "
      "beside it: not checked");
}

TEST(Checks, CountsDisturbedSlices) {
  Full full;
  EXPECT_EQ(full.check("disturbed"),
            "2 of 272 slices disturbed (kept, flagged: 2 preempted; native eager 2 of 80); without them no verdict "
            "changes");
  for (auto& row : full.results.samples) row.sample.flags = stats::throttled;
  EXPECT_THAT(full.check("disturbed"), StartsWith("272 slices throttled; 272 of 272 slices disturbed"));
  for (auto& row : full.results.samples) row.sample.flags = 0;
  EXPECT_EQ(full.check("disturbed"), "0 of 272 slices disturbed");
}

TEST(Checks, TellWhereHeatOrPowerSlowedADevice) {
  Full full;
  full.results.blocks[0].flags = {stats::Flag::other_run, stats::Flag::device_throttled};
  EXPECT_THAT(full.check("disturbed"), StartsWith("1 of " + std::to_string(full.results.blocks.size()) +
                                                  " blocks on a throttled device; 2 of 272 slices"));
}

TEST(Checks, CountVerdictsThatHangOnDisturbedSlices) {
  Full full;
  auto& contrast = full.findings.contrasts.contrasts[0];
  contrast.verdict = stats::Verdict::slower;
  contrast.undisturbed = analysis::Contrast::Undisturbed{contrast.ratio * 1.2, {}, {}, 5, stats::Verdict::slower};
  EXPECT_THAT(full.check("disturbed"), EndsWith("; without them no verdict changes"));
  contrast.undisturbed->verdict = stats::Verdict::faster;
  EXPECT_THAT(full.check("disturbed"), EndsWith("; without them 1 verdict changes"));
}

}  // namespace
}  // namespace regatta::report
