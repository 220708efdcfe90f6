#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "regatta/report/report.hpp"
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
  EXPECT_EQ(list[0].status, "not known yet");
  EXPECT_THAT(list[0].reason, HasSubstr("it may differ by more or by less than the margin of 1 %"));
  EXPECT_THAT(list[0].advice, HasSubstr("regatta run sweeps/sample.json --rerun undecided"));
  EXPECT_THAT(list[0].trials, ElementsAre(TrialIndex{7}));
}

TEST(NotDecided, AsksForMoreReplicatesAndForNoTime) {
  const auto results = testing_support::repeated_results({0.9, 1.0, 1.15});
  const auto findings = analysis::findings_of(results);
  const auto list = not_decided(view_of(results, findings));
  ASSERT_EQ(list.size(), 1U);
  EXPECT_THAT(list[0].reason, HasSubstr("over its replicates it may differ by more or by less than the margin of 1 %"));
  EXPECT_EQ(list[0].advice, "name more of them in the sweep file: more time for these adds nothing");
  EXPECT_THAT(list[0].details, ElementsAre(testing::StartsWith("3 repeats")));
  EXPECT_EQ(names_of(view_of(results, findings), list[0].trials, 1), "threads 2") << "not that of the first repeat";
  for (const NextStep& step : next_steps(results, findings)) EXPECT_THAT(step.command, Not(HasSubstr("--rerun")));
}

TEST(NotDecided, KnowsWhatMoreTimeDoesNotHelp) {
  FullAndUndecided full;
  full.undecided().flags = {stats::Flag::cores_shared};
  EXPECT_THAT(full.list()[0].advice, HasSubstr("fewer --ranks"));
  full.undecided().flags = {stats::Flag::rare_stalls};
  EXPECT_EQ(full.list()[0].reason, "rare stalls: the typical pair shows no difference, all time together shows one");
  full.undecided().flags = {stats::Flag::drifting};
  EXPECT_EQ(full.list()[0].reason, "the ratio moved while it was measured");
}

TEST(NotDecided, SaysWhereStallsDecide) {
  FullAndUndecided full;
  full.undecided().flags = {stats::Flag::stalls};
  full.undecided().without_stalls = analysis::Contrast::WithoutStalls{1.0, 0.99, 1.01};
  EXPECT_EQ(full.list()[0].reason, "stalls decide it: with them the verdict is another one than without them");
  EXPECT_THAT(full.list()[0].advice, HasSubstr("part of what you compare"));
}

TEST(NotDecided, SaysWhatEndedItWhereNoPairOfProcessesFinished) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.low = std::nullopt, contrast.high = std::nullopt;
  const auto reason_where = [&](sweep::WhyStopped stopped) {
    contrast.why_stopped = {stopped};
    return full.list()[0].reason;
  };
  EXPECT_EQ(reason_where(sweep::WhyStopped::time_spent),
            "no pair of its processes has finished: its time was up before");
  EXPECT_EQ(reason_where(sweep::WhyStopped::interrupted),
            "no pair of its processes has finished: it was interrupted before");
  EXPECT_EQ(reason_where(sweep::WhyStopped::fixed_slices),
            "no pair of its processes has finished: \"slices\" in \"measure\" gives it too few slices");
  EXPECT_THAT(full.list()[0].advice, HasSubstr("raise \"slices\""));
}

TEST(NotDecided, BlamesCallLengthsOnlyIfTheIntervalItselfDecides) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.ratio = 1.3, contrast.low = 1.2, contrast.high = 1.4;
  contrast.over_calls = analysis::Contrast::OverCalls{0.9, 1.9, 8, 27};
  EXPECT_EQ(full.list()[0].reason, "known for calls of one length, but not for all lengths that were tried");
  EXPECT_THAT(full.list()[0].advice, HasSubstr("\"steps\" in \"measure\"")) << "it has no calls of several steps";
  auto& parameters = full.results.trials[contrast.a.value].parameters;
  parameters.set(sweep::Param::steps_per_call, std::int64_t{8});
  EXPECT_THAT(full.list()[0].advice, HasSubstr("steps_per_call"));
  contrast.low = 0.95;
  EXPECT_THAT(full.list()[0].advice, Not(HasSubstr("steps_per_call")));
}

TEST(NotDecided, SaysHowManyPairsThereAreAndHowManyMoreItTakes) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.ratio = 1 / 1.09, contrast.low = 0.87, contrast.high = 1.23, contrast.processes = 14;
  contrast.outlook = analysis::Contrast::Outlook{0.09, 5, 110};
  const auto text = [&] { return reason_text(view_of(full.results, full.findings), full.list()[0]); };
  EXPECT_EQ(text(),
            "it may differ by more or by less than the margin of 1 %: 7 pairs of processes; about 5 more, 2 min");
  EXPECT_EQ(full.list()[0].advice, "go on measuring: regatta run sweeps/sample.json --rerun undecided --for 2m");
  contrast.outlook->more_pairs = 0;
  contrast.processes = 2;
  EXPECT_EQ(text(), "it may differ by more or by less than the margin of 1 %: 1 pair of processes")
      << "nothing tells how many";
}

TEST(NotDecided, OnePairIsNoVerdictHoweverClearItsIntervalIs) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.ratio = 3, contrast.low = 2, contrast.high = 4, contrast.processes = 2;
  EXPECT_EQ(full.list()[0].reason, "a verdict needs two pairs of processes");
  EXPECT_THAT(full.list()[0].advice, HasSubstr("--rerun undecided"));
}

TEST(NotDecided, SaysThatOneOfManyMayBeChance) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.ratio = 1.3, contrast.low = 1.2, contrast.high = 1.4, contrast.processes = 6;
  contrast.one_of_many = true;
  contrast.outlook = analysis::Contrast::Outlook{0.3, 2, 40};
  const auto list = full.list();
  EXPECT_EQ(reason_text(view_of(full.results, full.findings), list[0]),
            "one difference like this may be chance among so many comparisons: 3 pairs of processes; about 2 more, "
            "40 s");
  EXPECT_THAT(list[0].advice, HasSubstr("--rerun undecided"));
}

TEST(NotDecided, SaysWhereNoTimeDecidesAsItIsAtTheMargin) {
  FullAndUndecided full;
  auto& contrast = full.undecided();
  contrast.ratio = 1.01, contrast.low = 1.007, contrast.high = 1.013;
  contrast.outlook = analysis::Contrast::Outlook{0.0101, 0, 0};
  EXPECT_EQ(full.list()[0].reason,
            "it is as large as the margin, the difference that does not matter to you (1 %): no time decides that");
  EXPECT_THAT(full.list()[0].advice, HasSubstr("measure.margin"));
  contrast.outlook->more_pairs = 9;
  EXPECT_THAT(full.list()[0].reason, HasSubstr("it may differ by more or by less than the margin"))
      << "nine more pairs tell";
  contrast.outlook->more_pairs = 0;
  contrast.low = 0.95;
  EXPECT_THAT(full.list()[0].reason, HasSubstr("it may differ by more or by less than the margin"))
      << "it is not narrow yet";
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
  contrast.flags.add(stats::Flag::close_work);
  sweep::set(full.results.trials[contrast.a.value].facts, sweep::Fact::verified_detail, "gradients are 2 % apart");
  const auto list = full.list();
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0].status, "close, not verified");
  EXPECT_EQ(list[0].reason, "gradients are 2 % apart");
  EXPECT_THAT(list[0].trials, ElementsAre(contrast.a));
}

TEST(NotDecided, TellsModelsThatStartFromOtherWeightsHowToBeVerified) {
  FullAndUndecided full;
  auto& contrast = full.findings.contrasts.contrasts.at(0);
  contrast.flags.add(stats::Flag::other_weights);
  const auto list = full.list();
  ASSERT_FALSE(list.empty());
  EXPECT_EQ(list[0].status, "not verified: other initial weights");
  EXPECT_THAT(list[0].advice, testing::HasSubstr("docs/guide/your-model.md"));
}

TEST(NotDecided, PutsOtherWorkFirst) {
  FullAndUndecided full;
  full.results.trials[2].verified = sweep::Verified::no;
  sweep::set(full.results.trials[2].facts, sweep::Fact::verified_detail, "loss of step 1 differs by 3 %");
  const auto list = full.list();
  ASSERT_EQ(list.size(), 2U);
  EXPECT_EQ(list[0].status, "not the same work");
  EXPECT_EQ(list[0].reason, "loss of step 1 differs by 3 %");
  EXPECT_EQ(list[1].status, "not known yet");
}

}  // namespace
}  // namespace regatta::report
