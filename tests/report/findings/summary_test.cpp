#include "report/findings/summary.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <utility>

#include "report/rank_results.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;
using testing_support::arm;
using testing_support::ResultsBuilder;
using testing_support::sample_results;

std::vector<std::string> pair_ranges_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return pair_ranges(view_of(results, findings));
}

std::vector<std::string> headline_of(const results::Results& results, const analysis::Findings& found) {
  std::vector<std::string> lines;
  for (const Answer& answer : headline(view_of(results, found))) lines.push_back(one_line(answer));
  return lines;
}

TEST(Summary, CountsTrialsByTheirEnd) {
  auto results = sample_results();
  EXPECT_EQ(counts_line(results), "7 trials: 5 finished, 1 failed, 1 skipped");
  results.trials[0].outcome = sweep::Lost{};
  results.complete = false;
  EXPECT_EQ(counts_line(results), "7 trials: 4 finished, 1 failed, 1 skipped, 1 open (not complete)");
}

TEST(PairRanges, GivesTheRangeOfEachPairMostExtremeFirst) {
  EXPECT_THAT(
      pair_ranges_of(sample_results()),
      ElementsAre("numpy is 30.0x slower [28.8, 31.2] than native graph at batch 1",
                  "native eager is 1.49x (batch 32) to 1.98x (batch 1) slower than native graph over 2 settings; "
                  "geometric mean 1.71x slower [1.68, 1.75]"));
}

TEST(PairRanges, GivesEightPairsALineEachAndCountsTheRest) {
  ResultsBuilder made;
  std::vector<TrialIndex> arms;
  for (const char* engine :
       {"native", "numpy", "torch", "jax", "tensorflow", "torch@a", "torch@b", "torch@c", "torch@d", "torch@e"})
    arms.push_back(made.trial(arm(engine, "eager", 1)));
  const auto block = made.block(arms);
  double seconds = 1;
  for (const TrialIndex trial : arms) made.slices(block, trial, {seconds++});
  const auto sentences = pair_ranges_of(made.results);
  ASSERT_EQ(sentences.size(), 9U);
  EXPECT_EQ(sentences[0], "torch@e against native: not known yet [3.42x slower, 29.3x slower]");
  EXPECT_EQ(sentences[7], "torch against native: not known yet [1.025x slower, 8.78x slower]") << "one pair";
  EXPECT_EQ(sentences[8], "1 more pair of arms, in the tables");
}

TEST(Headline, SaysThatAQuestionIsNotAnswerableWhereNoComparisonHasBothItsArms) {
  ResultsBuilder made;
  const auto baseline = made.trial(arm("native", "graph", 1));
  made.trial(arm("torch", "graph", 1), sweep::Skipped{"device cuda is not built yet for the engine torch"});
  made.slices(made.block({baseline}), baseline, {1});
  analysis::Findings found = analysis::findings_of(made.results);
  found.contrasts.missing.push_back({});
  EXPECT_THAT(headline_of(made.results, found),
              ElementsAre("Not answerable: no comparison has both its arms (skipped: device cuda is not built yet for "
                          "the engine torch). Change what these name, or run the same sweep where they can run; the "
                          "times below answer another question"));
  made.results.trials[1].outcome = sweep::Skipped{"needs a cuda device", sweep::SkipKind::not_answerable};
  EXPECT_THAT(headline_of(made.results, found).front(),
              testing::StartsWith("Not answerable on this machine: no comparison has both its arms (skipped: needs a "
                                  "cuda device). Run"));
  const sweep::Outcome finished = std::exchange(made.results.trials[0].outcome, sweep::Skipped{"no such level"});
  EXPECT_THAT(headline_of(made.results, found).front(), testing::EndsWith("Run the same sweep where they can run"))
      << "there are no times";
  made.results.trials[0].outcome = finished;
  made.results.trials[1].outcome = sweep::Lost{};
  EXPECT_THAT(headline_of(made.results, found),
              ElementsAre("No ratio: nothing was measured together with its baseline"));
}

TEST(SharedSetting, NamesWhatAllTrialsThatRanHaveInCommon) {
  auto results = sample_results();
  EXPECT_EQ(shared_setting(results), "mlp-10, 1 thread, CPU") << "the batch varies";
  for (auto& trial : results.trials) {
    trial.parameters[sweep::Param::batch] = std::int64_t{7};
    trial.parameters[sweep::Param::threads] = std::int64_t{2};
  }
  results.trials[6].parameters[sweep::Param::model] = std::string("other");  // skipped
  EXPECT_EQ(shared_setting(results), "mlp-10, batch 7, 2 threads, CPU");
  EXPECT_EQ(shared_setting({}), "");
}

TEST(Findings, AreAFewOfEachKind) {
  const auto results = sample_results();
  analysis::Findings found = analysis::findings_of(results);
  const View view = view_of(results, found);
  EXPECT_THAT(findings(view), ElementsAre());
  for (const char* below : {"c1", "c2", "c3", "c4", "c5"}) found.effects.crossings.emplace_back().below = below;
  for (int i = 0; i < 4; ++i) found.effects.interactions.emplace_back().arms.fill(TrialIndex{0});
  auto& paid = found.effects.pay_backs.emplace_back();
  paid.other = TrialIndex{1};
  paid.has_interval = true;
  paid.starter_start = {1, {}};
  paid.other_start = {0.2, {}};
  const auto interaction = HasSubstr("with native");
  EXPECT_THAT(findings(view),
              ElementsAre(StartsWith("c1 wins"), StartsWith("c2 wins"), StartsWith("c3 wins"), "2 more crossovers",
                          interaction, interaction, interaction, "1 more interaction", HasSubstr("longer to start")));
}

TEST(NotMeasured, PutsFailuresFirstAndGroupsEqualReasons) {
  auto results = sample_results();
  results.trials[0].outcome = sweep::Skipped{"engine torch is not installed here"};
  results.trials[1].outcome = sweep::Lost{};
  const auto all = not_measured(results);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[0].status, "failed");
  EXPECT_EQ(all[1].status, "open");
  EXPECT_EQ(all[2].status, "skipped");
  EXPECT_THAT(all[2].trials, ElementsAre(TrialIndex{0}, TrialIndex{6}));
  for (const auto& ended : all) EXPECT_FALSE(ended.advice.empty());
}

TEST(Headline, KeepsARemarkApartFromItsAnswer) {
  ResultsBuilder made;
  made.trial(arm("native", "graph", 1), sweep::Skipped{"file 3. of the list is missing. Make it"});
  analysis::Findings found = analysis::findings_of(made.results);
  found.contrasts.missing.push_back({});
  EXPECT_THAT(headline(view_of(made.results, found)),
              ElementsAre(Answer{"Not answerable: no comparison has both its arms (skipped: file 3. of the list is "
                                 "missing. Make it)",
                                 "Change what these name, or run the same sweep where they can run"}));
}

TEST(Headline, BeginsWithWhetherMoreRanksPay) {
  const auto results = testing_support::ranks_made().results;
  const auto found = analysis::findings_of(results);
  const auto sentences = headline_of(results, found);
  EXPECT_THAT(sentences.at(0), testing::HasSubstr("mlp-784: pays up to 4 ranks: "));
  EXPECT_THAT(sentences.at(3), testing::HasSubstr("faster"));  // then the pairs of arms
}

TEST(NotMeasured, FoldsSkipsThatDifferInNumbersAlone) {
  auto results = sample_results();
  for (const std::uint32_t i : {1U, 2U, 3U, 6U})
    results.trials[i].outcome = sweep::Skipped{"needs " + std::to_string(2 * i) + " ranks"};
  results.trials[0].outcome = sweep::Skipped{"engine torch is not installed here"};
  const auto all = not_measured(results);
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all[2].reason, "needs 2 ranks (and 3 reasons like it, with other numbers)");
  EXPECT_THAT(all[2].trials, ElementsAre(TrialIndex{1}, TrialIndex{2}, TrialIndex{3}, TrialIndex{6}));
}

TEST(NotMeasured, KeepsFailuresApart) {
  auto results = sample_results();
  for (const std::uint32_t i : {1U, 2U, 3U})
    results.trials[i].outcome = sweep::Failed{sweep::FailureKind::crashed, "signal " + std::to_string(i)};
  EXPECT_EQ(not_measured(results).size(), 5U);
}

TEST(NotMeasured, SendsNobodyAwayWhoMayRepairASkip) {
  auto results = sample_results();
  const auto advice_of = [&](sweep::SkipKind kind) {
    results.trials[6].outcome = sweep::Skipped{"why", kind};
    return not_measured(results).back().advice;
  };
  results.provenance.sweep_file = "a b.json";
  results.provenance.command_line.clear();
  EXPECT_EQ(advice_of(sweep::SkipKind::not_answerable),
            "on a machine that has it ('regatta doctor' says so): regatta run 'a b.json' --rerun failed");
  EXPECT_THAT(advice_of(sweep::SkipKind::too_few_ranks), testing::StartsWith("with as many ranks as it names"));
  EXPECT_THAT(advice_of(sweep::SkipKind::unsupported), testing::StartsWith("change what it names"));
  EXPECT_EQ(advice_of(sweep::SkipKind::not_installed),
            "install it ('regatta doctor' lists what is here), then regatta run 'a b.json' --rerun failed; or hide the "
            "row with 'exclude'");
}

TEST(Names, AreCutWithACount) {
  const auto results = sample_results();
  const auto findings = analysis::findings_of(results);
  const View view = view_of(results, findings);
  const std::vector<TrialIndex> trials = {TrialIndex{0}, TrialIndex{2}, TrialIndex{6}};
  EXPECT_EQ(names_of(view, trials, 3), "native graph batch 1, numpy batch 1 and torch eager batch 1");
  EXPECT_EQ(names_of(view, trials, 1), "native graph batch 1 and 2 more");
}

TEST(Counts, SayInHowManySessionsARunTookItsTime) {
  results::Results results;
  results.sessions.resize(1);
  EXPECT_EQ(took_text(results, "6 s"), "took 6 s");
  results.sessions.resize(3);
  EXPECT_EQ(took_text(results, "6 s"), "took 6 s") << "passes of one command";
  results.sessions.back().created = "2026-03-01T12:00:00Z";
  EXPECT_EQ(took_text(results, "6 s"), "took 6 s of running in 2 sessions");
  results.sessions.front().source = 0;
  EXPECT_EQ(took_text(results, "6 s"), "took 6 s") << "of several files";
}

TEST(Counts, GiveTheTimeThatAllCommandsRanOrInWhichAnyBlockWasMeasured) {
  results::Results results;
  const std::pair<double, double> spans[] = {{120, 125}, {100, 110}, {105, 112}, {106, 107}};
  for (const auto& [start, end] : spans) {
    auto& block = results.blocks.emplace_back();
    block.start_wall_seconds = start;
    block.end_wall_seconds = end;
  }
  EXPECT_EQ(run_seconds(results), 12 + 5);
  EXPECT_EQ(run_seconds({}), 0);
  results::Results trained;
  for (const double start : {100.0, 101.0, 150.0}) {
    auto& leg = trained.legs.emplace_back();
    leg.start_wall_seconds = start;
    leg.end_wall_seconds = start + 2;
  }
  EXPECT_EQ(run_seconds(trained), 3 + 2) << "legs overlap where several slots train";
  results.sessions.resize(2);  // sessions of unknown length
  EXPECT_EQ(run_seconds(results), 12 + 5);
  for (auto& session : results.sessions) session.self.elapsed_seconds = 4;
  EXPECT_EQ(run_seconds(results), 8) << "one block goes on in the second session, after a pause";
  for (auto& session : results.sessions) session.self.elapsed_seconds = 20;
  EXPECT_EQ(run_seconds(results), 40) << "attempts that failed took time, too";
}

TEST(Machines, NameSlotsAndTheirFlags) {
  auto results = sample_results();
  results.devices[0].flags = {stats::Flag::cores_shared};
  EXPECT_THAT(machines(results),
              ElementsAre("box: Example CPU 9, 2 cores, 4.0 GiB, governor performance; cores 0-1 (cores_shared)"));
  results.devices.assign(64, {0, "cpu", "core", {}});
  EXPECT_THAT(machines(results)[0], testing::EndsWith("core; core; core; core and 60 more slots"));
}

}  // namespace
}  // namespace regatta::report
