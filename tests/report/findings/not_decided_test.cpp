#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/findings/summary.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing_support::full_results;

struct Full {
  results::Results results = full_results();
  analysis::Findings findings = analysis::findings_of(results);

  [[nodiscard]] std::vector<Ended> list() const { return not_decided(view_of(results, findings)); }
  analysis::Contrast& undecided() {
    return *std::ranges::find(findings.contrasts.contrasts, stats::Verdict::undecided, &analysis::Contrast::verdict);
  }
};

TEST(NotDecided, SaysWhyAndHowToGoOn) {
  const Full full;
  const auto list = full.list();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].status, "undecided");
  EXPECT_THAT(list[0].reason, HasSubstr("reaches over the margin"));
  EXPECT_THAT(list[0].advice, HasSubstr("regatta run sweeps/sample.json --rerun undecided"));
  EXPECT_THAT(list[0].trials, ElementsAre(TrialIndex{7}));
}

TEST(NotDecided, KnowsWhatMoreTimeDoesNotHelp) {
  Full full;
  full.undecided().flags = {"cores_shared"};
  EXPECT_THAT(full.list()[0].advice, HasSubstr("fewer --ranks"));
  full.undecided().flags = {"depends on call length"};
  EXPECT_THAT(full.list()[0].advice, HasSubstr("steps_per_call"));
}

TEST(NotDecided, HasTooFewSquaresBeforeAnInterval) {
  Full full;
  full.undecided().flags.clear();
  full.undecided().low.reset();
  EXPECT_THAT(full.list()[0].reason, HasSubstr("at least 7 squares"));
}

TEST(NotDecided, BeginsWithWhatHasChangedSince) {
  Full full;
  for (const std::size_t trial : {std::size_t{2}, std::size_t{5}})
    sweep::set(full.results.trials[trial].facts, sweep::Fact::changed_since, "the contents of a");
  const auto list = full.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].status, "changed since");
  EXPECT_EQ(list[0].reason, "the contents of a");
  EXPECT_THAT(list[0].trials, ElementsAre(TrialIndex{2}, TrialIndex{5}));
}

TEST(NotDecided, PutsOtherWorkFirstAndDoubtfulOnesBesideIt) {
  Full full;
  full.results.trials[2].verified = sweep::Verified::no;
  sweep::set(full.results.trials[2].facts, sweep::Fact::verified_detail, "loss of step 1 differs by 3 %");
  for (auto& contrast : full.findings.contrasts.contrasts) contrast.survives = false;
  const auto list = full.list();
  ASSERT_EQ(list.size(), 3U);
  EXPECT_EQ(list[0].status, "not the same work");
  EXPECT_EQ(list[0].reason, "loss of step 1 differs by 3 %");
  EXPECT_EQ(list[1].status, "doubtful");
  EXPECT_EQ(list[2].status, "undecided");
}

}  // namespace
}  // namespace regatta::report
