#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "regatta/analysis/findings.hpp"
#include "regatta/report/report.hpp"
#include "regatta/report/text.hpp"
#include "report/full_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::full_results;
using testing_support::sample_results;

std::string answer_of(const results::Results& results, const TerminalOptions& options = {}) {
  return terminal(results, analysis::findings_of(results), options);
}

/// With all tables and checks.
std::string terminal_of(const results::Results& results, TerminalOptions options = {}) {
  options.details = true;
  return terminal(results, analysis::findings_of(results), options);
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, width(line));
  return most;
}

TEST(Terminal, BeginsWithWhatRanWhereAndTheAnswer) {
  EXPECT_THAT(terminal_of(sample_results()),
              StartsWith("sample: mlp-10, 1 thread, CPU\n"
                         "7 trials: 5 finished, 1 failed, 1 skipped, 3 contrasts\n"
                         "box: Example CPU 9, 2 cores, 4.0 GiB, governor performance; cores 0-1\n"
                         "native 0.1.0, numpy 1.24.2\n"
                         "\n"
                         "native graph is fastest in both settings.\n"
                         "numpy is 30.0x slower [28.8, 31.2] than native graph at batch 1\n"
                         "native eager is 1.49x (batch 32) to 1.98x (batch 1) slower than native graph\n"
                         "over 2 settings; geometric mean 1.71x slower [1.68, 1.75]\n"
                         "This run can tell differences of 5.3 % and more.\n"
                         "\n"
                         "numpy against native graph\n"));
}

TEST(Terminal, WithoutDetailsIsTheAnswerOneTableAndHowSureItIs) {
  EXPECT_THAT(answer_of(sample_results()),
              StartsWith("sample: 7 trials: 5 finished, 1 failed, 1 skipped on Example CPU 9 (2 cores);\n"
                         "mlp-10, 1 thread, CPU\n"
                         "native 0.1.0, numpy 1.24.2\n"
                         "\n"
                         "native graph is fastest in both settings.\n"
                         "\n"
                         "          native graph        native eager               numpy\n"
                         "batch 1        2.00 us  1.98x [1.94, 2.06]  30.0x [28.8, 31.2]\n"));
  const std::string text = answer_of(full_results());
  EXPECT_THAT(text, HasSubstr("  This run can tell differences of "));
  EXPECT_THAT(text, HasSubstr("All 9 trials were verified"));
  EXPECT_THAT(text, HasSubstr("\nWhy     native "));
  EXPECT_THAT(text, HasSubstr("\nskipped torch eager batch 1\n"));
  EXPECT_THAT(text, Not(HasSubstr("Trust"))) << "details";
  EXPECT_THAT(text, Not(HasSubstr("go on measuring"))) << "the command that is proposed next does it";
  EXPECT_LE(widest(text), 80U) << text;
}

TEST(Terminal, NamesADeviceInItsFirstLine) {
  auto results = sample_results();
  results.devices.front().kind = "cuda";
  results.devices.front().name = "NVIDIA H200 (GPU-7a)";
  EXPECT_THAT(answer_of(results, {.columns = 200}), HasSubstr("Example CPU 9 (2 cores) and NVIDIA H200 (GPU-7a); "));
  results.devices.push_back(results.devices.front());
  EXPECT_THAT(answer_of(results, {.columns = 200}), HasSubstr("Example CPU 9 (2 cores) and 2 devices; "));
}

TEST(Terminal, GoesFromTheTablesToWhyTrustAndWhatIsOpen) {
  const std::string text = terminal_of(full_results());
  std::size_t last = 0;
  for (const char* part : {"\nnumpy against native graph\n", "\ntimes: of a step;",
                           "\nwhy: ", "\nTrust  the same code measured twice: ", "\nskipped torch eager batch 1\n",
                           "\nnot known yet native eager batch 2048\n"}) {
    const auto at = text.find(part);
    ASSERT_NE(at, std::string::npos) << part << text;
    EXPECT_GT(at, last) << part;
    last = at;
  }
}

TEST(Terminal, SaysWhatEachReasonIsAndWhatToDo) {
  const std::string text = terminal_of(sample_results());
  EXPECT_THAT(text, HasSubstr("failed numpy batch 32\n"
                              "  crashed: signal 11 (segmentation fault)\n"
                              "  -> read the worker's log in the run's folder; the same command with --rerun\n"
                              "  failed tries again\n"));
  EXPECT_THAT(text, HasSubstr("skipped torch eager batch 1\n"
                              "  engine torch is not installed here\n"
                              "  -> install it ('regatta doctor' lists what is here), then regatta run\n"
                              "  sweeps/sample.json --rerun failed; or hide the row with 'exclude'\n"));
}

TEST(Terminal, SaysWhatWasCheckedUnderTheTables) {
  EXPECT_THAT(terminal_of(sample_results()),
              HasSubstr("\nTrust  the same code was not measured twice, so nothing is known of bias\n"));
}

TEST(Terminal, PrintsInRedWhatACheckContradicts) {
  const results::Results results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  const auto red = [&] { return terminal(results, findings, {.colour = true}).find("\x1b[31mDo not believe"); };
  EXPECT_EQ(red(), std::string::npos);
  analysis::Contrast& contrast = findings.contrasts.contrasts.at(0);
  contrast.undisturbed = analysis::Contrast::Undisturbed{1.0, 0.995, 1.005, 5, stats::Verdict::same};
  EXPECT_NE(red(), std::string::npos);
}

TEST(Terminal, ExplainsEarlyWhereAVerdictIsOne) {
  const results::Results results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  constexpr const char* legend = "early: likely, but it also rests on how";
  EXPECT_THAT(terminal(results, findings, {.columns = 1000, .details = true}), Not(HasSubstr(legend)));
  findings.contrasts.contrasts.at(0).confirmed = false;
  EXPECT_THAT(terminal(results, findings, {.columns = 1000, .details = true}), HasSubstr(legend));
}

TEST(Terminal, SaysHowLongItTookAndThePeakOfItsCores) {
  const std::string text = terminal_of(full_results(), {.columns = 120});
  EXPECT_THAT(text, HasSubstr("6 contrasts, took 10 s\n"));
  EXPECT_THAT(text, HasSubstr("cores 0-1, 100 GFLOP/s a core"));
}

TEST(Terminal, FitsEightyColumns) {
  EXPECT_LE(widest(terminal_of(sample_results())), 80U);
  EXPECT_LE(widest(terminal_of(full_results())), 80U);
  EXPECT_GT(widest(terminal_of(full_results(), {.columns = 140})), 80U);
}

TEST(Terminal, WrapsTheNamesOfWhatWasNotMeasured) {
  auto results = sample_results();
  for (auto& trial : results.trials) trial.outcome = sweep::Lost{};
  const std::string text = terminal_of(results, {.columns = 60});
  EXPECT_LE(widest(text), 60U) << text;
  EXPECT_THAT(text, HasSubstr("\nopen native graph batch 1, native eager batch 1, numpy batch\n     1, native graph "
                              "batch 32 and 3 more\n"));
}

TEST(Terminal, LeavesOutColumnsWhereItIsNarrowAndKeepsTheRatio) {
  const std::string narrow = terminal_of(sample_results(), {.columns = 60});
  EXPECT_THAT(narrow, Not(HasSubstr("7/14")));
  EXPECT_LE(widest(narrow), 60U) << narrow;
  EXPECT_THAT(narrow, HasSubstr("30.0x"));
}

TEST(Terminal, UsesColourOnlyIfAsked) {
  EXPECT_THAT(terminal_of(sample_results(), {.colour = true}), HasSubstr("\x1b["));
  EXPECT_THAT(terminal_of(sample_results()), Not(HasSubstr("\x1b")));
}

TEST(Terminal, PassesNoEscapeSequenceOfAnEngineThrough) {
  auto results = sample_results();
  results.name = "evil\x1b[2J";
  results.trials[5].outcome =
      sweep::Failed{sweep::FailureKind::reported, "\x1b]0;owned\x07\n\n" + std::string(9000, 'x')};
  const std::string text = terminal_of(results);
  EXPECT_THAT(text, Not(HasSubstr("\x1b")));
  EXPECT_THAT(text, Not(HasSubstr("\x07")));
  EXPECT_LT(text.size(), 6000U);
}

TEST(Terminal, SaysWhenNothingIsCompared) {
  auto results = sample_results();
  results.blocks.clear();
  results.samples.clear();
  results.provenance.sweep_json.clear();
  const std::string text = terminal_of(results);
  EXPECT_THAT(text, HasSubstr("\nA step takes 2.00 us ("));
  EXPECT_THAT(text, HasSubstr("\nAll trials\n"));
  EXPECT_THAT(text, Not(HasSubstr("Trust")));
}

TEST(Terminal, SaysWhenEveryBaselineIsMissing) {
  auto results = sample_results();
  for (auto& block : results.blocks) block.has_baseline = false;
  for (const std::size_t i : {0U, 3U}) results.trials[i].outcome = sweep::Skipped{"not today"};
  const std::string text = terminal_of(results, {.columns = 120});
  EXPECT_THAT(text, HasSubstr("Not answerable on this machine"));
  EXPECT_THAT(text, HasSubstr("no baseline here: native graph batch 1 skipped: not today"));
}

TEST(Terminal, SurvivesEmptyResults) { EXPECT_THAT(terminal_of({}), HasSubstr("0 trials")); }

TEST(Terminal, SaysWhyWhereTheSweepAsks) {
  const auto results = testing_support::explained_results();
  const std::string text = terminal(results, analysis::findings_of(results), {.columns = 400});
  EXPECT_THAT(text, testing::HasSubstr("Why     numpy: removing input copies: -20 % [-20, -20]; emptying"));
  EXPECT_THAT(text, testing::HasSubstr("60.0 us [60.0 us, 60.0 us] of calls, whatever the batch, + 1.25 us a row\n"));
}

TEST(Terminal, SaysWhichStepsWaitedForBatches) {
  auto results = full_results();
  for (std::size_t i = 0; i < 9; ++i) {
    sweep::set(results.trials[i].facts, sweep::Fact::input_bound_by, i == 0 ? "consumer" : "decode");
    results.trials[i].metrics["input_wait"] = results.trials[i].metrics["input_compute"] = 1e-6;
  }
  const std::string text = terminal_of(results, {.columns = 200});
  EXPECT_THAT(text, HasSubstr("\ninput: native eager batch 1: waits 50 % of a step for batches, bound by decode\n"));
  EXPECT_THAT(text, HasSubstr("\ninput: batches were ready (waits below 1 % of a step) in 1 cell\nTrust"));
  EXPECT_THAT(terminal_of(full_results()), Not(HasSubstr("input:")));
}

TEST(Terminal, SaysWhatTheBatchesTellWhereItDoesNot) {
  EXPECT_THAT(terminal_of(full_results(), {.columns = 200}), HasSubstr("why: native graph spends "));
  EXPECT_THAT(terminal_of(sample_results()), Not(HasSubstr("why:")));  // two batches are no line
}

}  // namespace
}  // namespace regatta::report
