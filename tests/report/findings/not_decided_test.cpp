#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "report/findings/summary.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing_support::full_results;

struct FullAndUndecided {
  results::Results results = full_results();
  analysis::Findings findings = analysis::findings_of(results);

  [[nodiscard]] std::vector<Ended> list() const { return not_decided(view_of(results, findings)); }
  analysis::Contrast& undecided() {
    return *std::ranges::find(findings.contrasts.contrasts, stats::Verdict::undecided, &analysis::Contrast::verdict);
  }
};

TEST(NotDecided, SaysWhyAndHowToGoOn) {
  const FullAndUndecided full;
  const auto list = full.list();
  ASSERT_EQ(list.size(), 1U);
  EXPECT_EQ(list[0].status, "undecided");
  EXPECT_THAT(list[0].reason, HasSubstr("its interval reaches over the "));
  EXPECT_THAT(list[0].advice, HasSubstr("regatta run sweeps/sample.json --rerun undecided"));
  EXPECT_THAT(list[0].trials, ElementsAre(TrialIndex{7}));
}

TEST(NotDecided, KnowsWhatMoreTimeDoesNotHelp) {
  FullAndUndecided full;
  full.undecided().flags = {"cores_shared"};
  EXPECT_THAT(full.list()[0].advice, HasSubstr("fewer --ranks"));
  full.undecided().flags = {"rare stalls"};
  EXPECT_THAT(full.list()[0].reason, HasSubstr("rare stalls"));
}

TEST(NotDecided, SaysWhatEndedItWhereTooFewSquaresWereTaken) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.low = std::nullopt, contrast.high = std::nullopt;
  const auto reason_where = [&](const std::string& stopped) {
    contrast.why_stopped = stopped;
    return full.list()[0].reason;
  };
  EXPECT_EQ(reason_where("time spent"), "an interval needs at least 7 squares, and its time was up before");
  EXPECT_EQ(reason_where("interrupted"), "an interval needs at least 7 squares, and it was interrupted before");
  EXPECT_EQ(reason_where("fixed slices"),
            "an interval needs at least 7 squares, and \"slices\" in \"measure\" gives it fewer");
  EXPECT_THAT(full.list()[0].advice, HasSubstr("raise \"slices\""));
}

TEST(NotDecided, BlamesCallLengthsOnlyIfTheIntervalItselfDecides) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.ratio = 1.3, contrast.low = 1.2, contrast.high = 1.4;
  contrast.over_calls = analysis::Contrast::OverCalls{0.9, 1.9, 8, 27};
  EXPECT_THAT(full.list()[0].advice, HasSubstr("\"steps\" in \"measure\"")) << "it has no calls of several steps";
  auto& parameters = full.results.trials[contrast.a.value].parameters;
  parameters.set(sweep::Param::steps_per_call, std::int64_t{8});
  EXPECT_THAT(full.list()[0].advice, HasSubstr("steps_per_call"));
  contrast.low = 0.95;
  EXPECT_THAT(full.list()[0].advice, Not(HasSubstr("steps_per_call")));
}

TEST(NotDecided, SaysHowManyProcessesWhichIsOffAndHowManyMoreItTakes) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.floor = 0.0204, contrast.flags = {"noisy device"};
  contrast.ratio = 1 / 1.09, contrast.low = 0.87, contrast.high = 1.23, contrast.processes = 14;
  contrast.outlook = analysis::Contrast::Outlook{std::log(1.17), 5, 110};
  const auto text = [&] { return reason_text(view_of(full.results, full.findings), full.list()[0]); };
  EXPECT_EQ(text(),
            "its interval reaches over the floor of 2.04 %: 7 pairs of processes, one 17 % off the others: about 5 "
            "more, 2 min");
  EXPECT_EQ(full.list()[0].advice, "go on measuring: regatta run sweeps/sample.json --rerun undecided --for 2m");
  contrast.outlook->more_pairs = 0;
  EXPECT_THAT(text(), HasSubstr("so near the margin that more time will hardly decide it"));
}

TEST(NotDecided, CallsTheDeviceNoisyOnlyWhereTheIntervalIsInsideTheFloor) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.floor = 0.0204, contrast.flags = {"noisy device"};
  contrast.ratio = 1.001, contrast.low = 0.99, contrast.high = 1.015;
  EXPECT_EQ(full.list()[0].reason,
            "noisy device: identical code differs by 2.04 %, which is over 2 times the margin of 1 %");
  EXPECT_THAT(full.list()[0].advice, HasSubstr("a quieter machine"));
}

TEST(NotDecided, ADoubtfulDifferenceHasACureThatMeasuresItAgain) {
  FullAndUndecided full;
  full.findings.contrasts.contrasts[0].survives = false;
  const auto doubtful = [&] {
    const auto list = full.list();
    return *std::ranges::find(list, "doubtful", &Ended::status);
  };
  EXPECT_THAT(doubtful().advice, HasSubstr("--rerun undecided"));
  full.findings.contrasts.identical.wrong = 1;
  full.findings.contrasts.contrasts[0].ratio = 1.02;
  EXPECT_THAT(doubtful().reason, HasSubstr("identical code was told apart here"));
}

TEST(NotDecided, HasTooFewSquaresBeforeAnInterval) {
  FullAndUndecided full;
  full.undecided().flags.clear();
  full.undecided().low.reset();
  EXPECT_THAT(full.list()[0].reason, HasSubstr("at least 7 squares"));
}

TEST(NotDecided, BeginsWithWhatHasChangedSince) {
  FullAndUndecided full;
  for (const std::size_t trial : {std::size_t{2}, std::size_t{5}})
    sweep::set(full.results.trials[trial].facts, sweep::Fact::changed_since, "the contents of a");
  const auto list = full.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].status, "changed since");
  EXPECT_EQ(list[0].reason, "the contents of a");
  EXPECT_THAT(list[0].trials, ElementsAre(TrialIndex{2}, TrialIndex{5}));
}

TEST(NotDecided, TellsTheNumberOfWorkThatIsClose) {
  FullAndUndecided full;
  auto& contrast = full.findings.contrasts.contrasts.at(0);
  contrast.flags.emplace_back(analysis::close_work);
  sweep::set(full.results.trials[contrast.a.value].facts, sweep::Fact::verified_detail, "gradients are 2 % apart");
  const auto list = full.list();
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0].status, "close, not verified");
  EXPECT_EQ(list[0].reason, "gradients are 2 % apart");
  EXPECT_THAT(list[0].trials, ElementsAre(contrast.a));
}

TEST(NotDecided, PutsOtherWorkFirstAndDoubtfulOnesBesideIt) {
  FullAndUndecided full;
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
