#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::markup_problem;
using testing_support::occurrences;
using testing_support::sample_results;

struct Made {
  results::Results results = sample_results();
  analysis::Findings findings = analysis::findings_of(results);
  [[nodiscard]] View view() const { return view_of(results, findings); }
  [[nodiscard]] std::string figure() const { return overview_figure(view(), comparison_matrix(view()).value()); }
  [[nodiscard]] std::string table() const { return matrix_html(view(), comparison_matrix(view()).value()); }
};

TEST(OverviewFigure, HasARowForEachSettingAndAMarkForEachRatio) {
  const std::string html = Made().figure();
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_EQ(occurrences(html, "<div class=\"row\""), 2U);
  EXPECT_EQ(occurrences(html, "<line class=\"whisker"), 3U);
  EXPECT_THAT(html, HasSubstr("How many times as long as <b>native graph</b>"));
  EXPECT_THAT(html, HasSubstr("<span class=\"base\">2.00 us</span>"));
  EXPECT_THAT(html, HasSubstr(">30.0x</text>"));
}

TEST(OverviewFigure, DrawsARatioThatIsNotKnownAsARing) {
  Made made;
  EXPECT_THAT(made.figure(), Not(HasSubstr("hollow")));
  made.findings.contrasts.contrasts.front().verdict = stats::Verdict::undecided;
  EXPECT_THAT(made.figure(), HasSubstr("<g class=\"hollow\">"));
}

TEST(OverviewFigure, LeavesOutFiguresThatWouldCoverMarks) {
  Made made;
  for (auto& contrast : made.findings.contrasts.contrasts) contrast.ratio = *contrast.low = *contrast.high = 2;
  made.findings.contrasts.contrasts.front().high = 2.1;
  const std::string html = made.figure();
  EXPECT_LT(occurrences(html, "<text class=\"figure\""), 3U) << html;
}

TEST(MatrixHtml, SaysInFiguresWhatTheMarksShow) {
  const std::string html = Made().table();
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_THAT(html, HasSubstr("<td class=\"n w3\">30.0x <span class=\"whole\">[28.8, 31.2]</span></td>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"n bad\">failed</td>"));
  EXPECT_THAT(html, HasSubstr("native graph: median time of a step."));
}

}  // namespace
}  // namespace regatta::report
