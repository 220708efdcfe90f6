#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/command_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::command_results;
using testing_support::markup_problem;

std::string figure_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  return study_figure(view_of(results, findings));
}

TEST(StudyFigure, IsAMapOfEachResultOverTheAxes) {
  results::Results results = command_results();
  results.trials[1].metrics["error"] = 0.25;
  results.trials[2].metrics["error"] = 400;
  const std::string html = figure_of(results);
  EXPECT_EQ(markup_problem(html), "");
  EXPECT_THAT(html, HasSubstr("<h3>error [K]</h3>"));
  EXPECT_THAT(html, HasSubstr("<th scope=\"row\">explicit</th>"));
  EXPECT_THAT(html, HasSubstr("<td class=\"n\"><b>0.25</b></td>")) << "the smallest";
  EXPECT_THAT(html, HasSubstr("<td class=\"n f3\"><b>400</b></td>")) << "the largest";
}

TEST(StudyFigure, CrossesOutCellsWithoutAResult) {
  results::Results results = command_results();
  results.trials[0].metrics.erase("error");
  results.trials[0].facts = {};
  EXPECT_THAT(figure_of(results), HasSubstr("crossed"));
  EXPECT_THAT(figure_of(command_results()), Not(HasSubstr("crossed")));
}

TEST(StudyFigure, IsNoneWithoutResultsOrAnAxis) {
  results::Results results = command_results();
  results.trials.resize(1);
  EXPECT_EQ(figure_of(results), "");
  EXPECT_EQ(figure_of({}), "");
}

}  // namespace
}  // namespace regatta::report
