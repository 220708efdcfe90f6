#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/command_results.hpp"
#include "report/markup.hpp"
#include "report/page/page.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::markup_problem;
using testing_support::sample_results;

/// The sample, with a view that outlives it.
struct Sample {
  results::Results results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  View view = view_of(results, findings);
};

TEST(HtmlTables, TrialsStandUnderTheirSettingWithTimesAndRatios) {
  const Sample sample;
  const std::string table = trials_table(sample.view);
  EXPECT_EQ(markup_problem(table), "");
  EXPECT_THAT(table, HasSubstr("scope=\"rowgroup\">batch 32</th>"));
  EXPECT_THAT(table, HasSubstr("<td class=\"n\">4.00 us</td><td><b>1.98x slower</b> [1.94, 2.06]</td>"));
  EXPECT_THAT(table, HasSubstr("<b class=\"bad\">failed</b>"));
  EXPECT_THAT(table, HasSubstr("<b>skipped</b>"));
}

TEST(HtmlTables, TrialsOfWhichEachHasItsOwnSettingAreRowsOfOneTable) {
  const results::Results results = testing_support::command_results();
  const analysis::Findings findings = analysis::findings_of(results);
  const std::string table = trials_table(view_of(results, findings));
  EXPECT_EQ(markup_problem(table), "");
  EXPECT_THAT(table, Not(HasSubstr("rowgroup")));
  EXPECT_THAT(table, HasSubstr("<td>explicit</td><td>16</td>"));
  EXPECT_THAT(table, HasSubstr("error [K]</th>"));
  EXPECT_THAT(table, Not(HasSubstr("samples/s")));
}

TEST(HtmlTables, ContrastsAreSentencesWithRoundsAndFlags) {
  Sample sample;
  sample.findings.contrasts.contrasts[0].flags = {stats::Flag::neighbours, stats::Flag::disturbed};
  const std::string table = contrasts_table(sample.view);
  EXPECT_EQ(markup_problem(table), "");
  EXPECT_THAT(table, HasSubstr("native eager is 1.98x slower [1.94, 2.06] than native graph at batch 1"));
  EXPECT_THAT(table, testing::ContainsRegex("<td>slower</td><td class=\"n\">7 x 1</td><td>decided</td>"
                                            "<td class=\"flags\">neighbours, disturbed</td>"));
}

TEST(HtmlTables, FlagsAreNotCut) {
  Sample sample;
  const stats::Flags flags = stats::judgement_flags;
  sample.findings.contrasts.contrasts[0].flags = flags;
  EXPECT_THAT(contrasts_table(sample.view), HasSubstr(stats::text_of(flags, ", ") + "</td>"));
}

TEST(HtmlTables, TheFastestTrialOfASettingStandsFirst) {
  Sample sample;
  sample.results.trials[2].metrics["step_time"] = 1e-9;
  const std::string table = trials_table(sample.view);
  EXPECT_LT(table.find("<td>numpy</td>"), table.find("<td>native</td>"));
}

TEST(HtmlTables, NotMeasuredTellsTrialReasonAndNextStepOnce) {
  Sample sample;
  sample.findings.contrasts.missing.push_back({TrialIndex{1}, analysis::NoContrastReason::no_baseline, TrialIndex{1}});
  const std::string list = not_measured_list(sample.view);
  EXPECT_EQ(markup_problem(list), "");
  EXPECT_THAT(list, HasSubstr("<b class=\"bad\">failed</b> numpy batch 32"));
  EXPECT_THAT(list, HasSubstr("Next: "));
  EXPECT_THAT(list, HasSubstr("<b>no ratio</b> native eager batch 1"));
  EXPECT_EQ(list.find("engine torch"), list.rfind("engine torch"));
}

TEST(HtmlTables, AreEmptyIfThereIsNothingToTell) {
  const results::Results results;
  const analysis::Findings findings;
  const View view = view_of(results, findings);
  EXPECT_EQ(contrasts_table(view), "");
  EXPECT_EQ(not_measured_list(view), "");
  EXPECT_THAT(trials_table(view), Not(HasSubstr("more trials")));
}

}  // namespace
}  // namespace regatta::report
