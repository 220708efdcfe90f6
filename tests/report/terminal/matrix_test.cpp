// One table of all comparisons with one baseline.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/analysis/findings.hpp"
#include "regatta/report/wording.hpp"
#include "report/full_results.hpp"
#include "report/terminal/terminal.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;
using testing_support::sample_results;

std::string matrix_text(const results::Results& results, const analysis::Findings& findings,
                        const TerminalOptions& options = {}) {
  return matrix_table(view_of(results, findings), options, {options.colour});
}

std::string matrix_text(const results::Results& results, const TerminalOptions& options = {}) {
  return matrix_text(results, analysis::findings_of(results), options);
}

TEST(Matrix, HasARowForEachSettingAndAColumnForEachArm) {
  EXPECT_THAT(matrix_text(sample_results()),
              StartsWith("          native graph        native eager               numpy\n"
                         "batch 1        2.00 us  1.98x [1.94, 2.06]  30.0x [28.8, 31.2]\n"
                         "batch 32       3.00 us  1.49x [1.45, 1.55]              failed\n"));
}

TEST(Matrix, SaysHowMuchLongerThanTheBaselineEachArmTakes) {
  const std::string text = matrix_text(sample_results());
  EXPECT_THAT(text, HasSubstr("30.0x [28.8, 31.2]"));
  EXPECT_THAT(text, HasSubstr("takes 1.98 times as long as native graph; 95 % interval."));
}

TEST(Matrix, SaysHowATrialEndedThatHasNoRatio) { EXPECT_THAT(matrix_text(sample_results()), HasSubstr("failed\n")); }

TEST(Matrix, MarksEarlyVerdictsAndGivesTheIntervalOfWhatIsNotKnown) {
  const results::Results results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  for (auto& contrast : findings.contrasts.contrasts) contrast.confirmed = false;
  EXPECT_THAT(matrix_text(results, findings), HasSubstr("30.0x* [28.8, 31.2]"));
  EXPECT_THAT(matrix_text(results, findings), HasSubstr("\n  * early: likely"));
  for (auto& contrast : findings.contrasts.contrasts) contrast.verdict = stats::Verdict::undecided;
  EXPECT_THAT(matrix_text(results, findings), HasSubstr("not known [28.8, 31.2]"));
}

TEST(Matrix, PutsArmsThatDoNotFitIntoTablesOfTheirOwn) {
  const std::string narrow = matrix_text(sample_results(), {.columns = 50});
  EXPECT_THAT(narrow, StartsWith("          native graph        native eager\n"));
  EXPECT_THAT(narrow, HasSubstr("\n\n"));
  EXPECT_THAT(matrix_text(sample_results(), {.columns = 30}), HasSubstr("time per step")) << "a row for each arm";
}

TEST(Matrix, IsNoneWhereComparisonsHaveSeveralBaselines) {
  const results::Results results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  auto& contrast = findings.contrasts.contrasts.front();
  std::swap(contrast.a, contrast.b);
  EXPECT_EQ(matrix_text(results, findings), "");
  findings.contrasts.contrasts.clear();
  EXPECT_EQ(matrix_text(results, findings), "");
}

TEST(Matrix, CountsTheRowsThatItLeavesOut) {
  EXPECT_THAT(matrix_text(sample_results(), {.most_rows = 1}), HasSubstr("... 1 more rows, all in the result file\n"));
  EXPECT_THAT(matrix_text(sample_results()), Not(HasSubstr("more rows")));
}

TEST(TakesText, HasThreeDigitsAndNoDirection) {
  EXPECT_EQ(takes_text(1.594), "1.59");
  EXPECT_EQ(takes_text(0.5), "0.50");
  EXPECT_EQ(takes_text(1.0031), "1.003");
  EXPECT_EQ(takes_text(16.0), "16.0");
  EXPECT_EQ(takes_text(231.6), "232");
  EXPECT_EQ(takes_text(0.0233), "0.023");
  EXPECT_EQ(takes_text(std::numeric_limits<double>::quiet_NaN()), std::string(dash));
}

}  // namespace
}  // namespace regatta::report
