#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <sstream>

#include "analysis/learning/trained.hpp"
#include "regatta/analysis/findings.hpp"
#include "regatta/report/report.hpp"
#include "regatta/report/text.hpp"
#include "report/terminal/terminal.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::falling;
using testing_support::trained;

std::string shown(const results::Results& results, int columns = 120) {
  return terminal(results, analysis::findings_of(results), {.columns = columns, .details = true});
}

std::string answer_of(const results::Results& results) { return terminal(results, analysis::findings_of(results), {}); }

std::size_t widest_line(const std::string& text) {
  std::istringstream lines(text);
  std::size_t most = 0;
  for (std::string line; std::getline(lines, line);) most = std::max(most, width(line));
  return most;
}

TEST(LearningTerminal, StandsInPlaceOfTheTablesOfABenchmark) {
  const std::string text = shown(trained({.quality = falling(0.95, 0.004)}));
  for (const char* of_benchmarks : {"step: median", "p95", "contrast", "samples/s", "no ratio"})
    EXPECT_THAT(text, Not(HasSubstr(of_benchmarks)));
  std::size_t last = 0;
  for (const char* part : {"trained", "Best of 9 configurations: ", "\nFinalists\n", "\nStopped  ", "\nNoise    ",
                           "\nCost     ", "\nTrust    "}) {
    const auto at = text.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << text;
    last = at;
  }
}

TEST(LearningTerminal, AnswersWithTheBestConfigurationFirstAndFiveRows) {
  const std::string text = answer_of(trained({.searches = false, .quality = falling(0.95, 0.004)}));
  EXPECT_THAT(text, HasSubstr("\nBest of 9 configurations: "));
  EXPECT_THAT(text, HasSubstr("\n... 4 more, all in the page and with --details\n"));
  for (const char* detail : {"\nStopped  ", "\nNoise    ", "\nCost     ", "\nTrust    "})
    EXPECT_THAT(text, Not(HasSubstr(detail)));
}

TEST(LearningTerminal, KeepsWarningsBesideTheAnswer) {
  auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.9, 0)});
  results.legs[3].outcome = sweep::Failed{sweep::FailureKind::reported, "no memory"};
  EXPECT_THAT(answer_of(results), HasSubstr("\nNote     "));
}

TEST(LearningTerminal, PutsThreeFiguresSideBySide) {
  const std::string text = shown(trained({.quality = falling(0.95, 0.004)}));
  EXPECT_THAT(text, HasSubstr("rank  learning_rate  search saw  validation [95 %]    test [95 %]"));
}

TEST(LearningTerminal, TellsHowLongATrainingTakes) {
  const auto results = trained({.quality = falling(0.95, 0.004)});
  EXPECT_THAT(answer_of(results), HasSubstr("One training takes 1.00 s."));
  EXPECT_THAT(shown(results, 160), HasSubstr("  time  "));
  EXPECT_THAT(shown(results, 80), HasSubstr("One training takes 1.00 s.")) << "whatever the width";
}

TEST(LearningTerminal, FitsNarrowTerminals) {
  const auto results = trained({.quality = falling(0.95, 0.004)});
  EXPECT_LE(widest_line(shown(results, 80)), 80U);
  EXPECT_LE(widest_line(shown(results, 120)), 120U);
  EXPECT_THAT(shown(results, 80), HasSubstr("test [95 %]")) << "of all columns this one stays";
}

TEST(LearningTerminal, SaysHowSoonTheTargetIsReachedWhereverThereIsRoom) {
  auto results = trained({.quality = falling(0.95, 0.004)});
  std::string& text = results.provenance.sweep_json;
  text.replace(text.find("\"margin\""), 0, "\"target\": 0.9, ");
  EXPECT_THAT(shown(results, 160), HasSubstr("in set  reaches 90.0 %"));
  EXPECT_THAT(shown(results, 80), HasSubstr("; reaches 90.0 %: 12 of 12, 251 ms [250 ms, 251 ms]"));
  EXPECT_LE(widest_line(shown(results, 80)), 80U);
  EXPECT_THAT(shown(results), HasSubstr("Soonest at validation accuracy 90.0 %: "));
}

TEST(LearningTerminal, CountsTheRowsItLeavesOut) {
  const auto results = trained({.searches = false, .quality = falling(0.95, 0.004)});
  EXPECT_THAT(terminal(results, analysis::findings_of(results), {.most_rows = 2}),
              HasSubstr("... 7 more, all in the page and with --details"));
}

TEST(LearningTerminal, PassesNoEscapeSequenceThrough) {
  auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.9, 0)});
  results.legs[3].outcome = sweep::Failed{sweep::FailureKind::reported, "evil\x1b[2J"};
  EXPECT_THAT(shown(results), Not(HasSubstr("\x1b")));
  EXPECT_THAT(shown(results), HasSubstr("failed: "));
}

}  // namespace
}  // namespace regatta::report
