#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/report/report.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::explained_results;
using testing_support::markup_problem;
using testing_support::sample_results;

std::string ladder_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return ladder_figure(view_of(results, findings));
}

TEST(LadderFigure, HasARungForTheStepEachChangeAndTheCalls) {
  const std::string figure = ladder_of(explained_results());
  EXPECT_EQ(markup_problem(figure), "");
  EXPECT_THAT(figure, HasSubstr("as it is"));
  EXPECT_THAT(figure, HasSubstr("<b>100 us</b>"));
  EXPECT_THAT(figure, HasSubstr("removing input copies"));
  EXPECT_THAT(figure, HasSubstr("<b>-20 % </b>[-20, -20]"));
  EXPECT_THAT(figure, HasSubstr("<b>60.0 us</b>"));
  EXPECT_THAT(figure, HasSubstr("x2=\"96.00%\""));  // the whole step
  EXPECT_THAT(figure, HasSubstr("x2=\"76.80%\""));  // 80 % of it
}

TEST(LadderFigure, SaysThatRungsNeedNotAddUpAndWhatWasNotOffered) {
  const std::string figure = ladder_of(explained_results());
  EXPECT_THAT(figure, HasSubstr("need not add up"));
  EXPECT_THAT(figure, HasSubstr("emptying the kernels: skipped, the engine does not offer this intervention"));
}

TEST(LadderFigure, IsMissingWhereNothingWasExplained) {
  EXPECT_EQ(ladder_of(sample_results()), "");
  const auto results = sample_results();
  EXPECT_THAT(html(results, analysis::findings_of(results)), Not(HasSubstr("with one thing changed")));
}

TEST(LadderFigure, StandsInThePage) {
  const auto results = explained_results();
  const std::string page = html(results, analysis::findings_of(results));
  EXPECT_THAT(page, HasSubstr("<figure class=\"ladder\">"));
  EXPECT_EQ(markup_problem(page), "");
}

TEST(LadderFigure, ACellThatFailedIsALineWithItsReason) {
  auto results = explained_results();
  for (auto& row : results.interventions) row.outcome = sweep::Failed{sweep::FailureKind::crashed, "<signal 11>"};
  results.intervention_samples.clear();
  EXPECT_THAT(ladder_of(results), HasSubstr("not explained: failed: crashed: &lt;signal 11&gt;"));
}

}  // namespace
}  // namespace regatta::report
