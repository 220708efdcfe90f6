#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "regatta/analysis/contrasts.hpp"
#include "regatta/report/report.hpp"
#include "report/sample_results.hpp"
#include "report/text.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::sample_results;

std::string terminal_of(const results::Results& results, const TerminalOptions& options = {}) {
  return terminal(results, analysis::contrasts(results), options);
}

std::size_t widest(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, width(line));
  return most;
}

TEST(Terminal, ShowsTheSampleSweep) {
  EXPECT_EQ(terminal_of(sample_results()), R"(sample   7 trials: 5 finished, 1 failed, 1 skipped
box: Example CPU 9, 2 cores, 4.0 GiB, governor performance; cores 0-1
native 0.1.0, numpy 1.24.2

numpy takes 30.0x the time of native graph: slower [28.8, 30.9] at batch 1
native eager takes 1.49x (batch 32) to 1.98x (batch 1) the time of native graph
over 2 settings; geometric mean 1.71x [1.68, 1.75]

batch  engine  mode      step      p95  samples/s  ratio  interval      verdict
    1  native  graph  2.00 us  2.50 us      500 k     1x  baseline
    1  native  eager  4.00 us  5.00 us      250 k  1.98x  [1.96, 2.06]  slower
    1  numpy   –      60.0 us  75.0 us     16.7 k  30.0x  [28.8, 30.9]  slower
    1  torch   eager  skipped        –          –      –
   32  native  graph  3.00 us  3.75 us     10.7 M     1x  baseline
   32  native  eager  4.50 us  5.63 us     7.11 M  1.49x  [1.47, 1.55]  slower
   32  numpy   –       failed        –          –      –
step: median; ratio: time relative to that setting's baseline, 95 % interval

failed numpy batch 32
  crashed: signal 11 (segmentation fault)
  -> read the worker's log in the run's folder; the same command with --rerun
  failed tries again

skipped torch eager batch 1
  engine torch is not installed here
  -> nothing to repair; 'regatta doctor' lists what works here, 'exclude' hides
  the row
)");
}

TEST(Terminal, FitsEightyColumns) { EXPECT_LE(widest(terminal_of(sample_results())), 80U); }

TEST(Terminal, WrapsTheNamesOfWhatWasNotMeasured) {
  auto results = sample_results();
  for (auto& trial : results.trials) trial.outcome = sweep::Lost{};
  const std::string text = terminal_of(results, {.columns = 60});
  EXPECT_LE(widest(text), 60U) << text;
  EXPECT_THAT(text, HasSubstr("\nlost native graph batch 1, native eager batch 1, numpy batch\n     1, native graph "
                              "batch 32 and 3 more\n"));
}

TEST(Terminal, LeavesOutColumnsWhereItIsNarrowAndKeepsTheRatio) {
  const std::string wide = terminal_of(sample_results(), {.columns = 120});
  const std::string narrow = terminal_of(sample_results(), {.columns = 60});
  EXPECT_THAT(wide, HasSubstr("step     mean"));
  EXPECT_THAT(narrow, Not(HasSubstr("step     mean")));
  EXPECT_LE(widest(narrow), 60U);
  EXPECT_THAT(narrow, HasSubstr("30.0x"));
}

TEST(Terminal, WritesTheWordsOfASettingAboveItsRows) {
  auto results = sample_results();
  for (std::size_t i = 3; i < 6; ++i) results.trials[i].parameters[sweep::Param::model] = std::string("mlp-784");
  const std::string text = terminal_of(results);
  EXPECT_THAT(text, HasSubstr("\nmlp-10\n    1  native  graph"));
  EXPECT_THAT(text, HasSubstr("\nmlp-784\n   32  native  graph"));
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
  EXPECT_LT(text.size(), 5000U);
}

TEST(Terminal, SaysWhenNothingIsCompared) {
  auto results = sample_results();
  results.blocks.clear();
  results.samples.clear();
  results.provenance.sweep_json.clear();
  EXPECT_THAT(terminal_of(results), HasSubstr("compares nothing"));
}

TEST(Terminal, SaysWhenEveryBaselineIsMissing) {
  auto results = sample_results();
  for (auto& block : results.blocks) block.has_baseline = false;
  for (const std::size_t i : {0U, 3U}) results.trials[i].outcome = sweep::Skipped{"not today"};
  const std::string text = terminal_of(results, {.columns = 120});
  EXPECT_THAT(text, HasSubstr("No ratio"));
  EXPECT_THAT(text, HasSubstr("no baseline here: native graph batch 1 skipped: not today"));
}

TEST(Terminal, CountsTheRowsItLeavesOut) {
  const std::string text = terminal_of(sample_results(), {.most_rows = 2});
  EXPECT_THAT(text, HasSubstr("... 5 more trials"));
}

TEST(Terminal, SurvivesEmptyResults) { EXPECT_THAT(terminal_of({}), HasSubstr("0 trials")); }

TEST(Terminal, SaysWhyWhereTheSweepAsks) {
  const auto results = testing_support::explained_results();
  const std::string text = terminal(results, analysis::contrasts(results), {.columns = 400});
  EXPECT_THAT(text, testing::HasSubstr("why: numpy: removing input copies: -20 % [-20, -20]; emptying"));
  EXPECT_THAT(text, testing::HasSubstr("60.0 us [60.0 us, 60.0 us] of calls + 1.25 us a row\n"));
  const auto without = sample_results();
  EXPECT_THAT(terminal(without, analysis::contrasts(without), {}), testing::Not(testing::HasSubstr("why:")));
}

}  // namespace
}  // namespace regatta::report
