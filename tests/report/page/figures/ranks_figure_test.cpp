#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/report/report.hpp"
#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"
#include "report/rank_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::add_ranks;
using testing_support::full_results;
using testing_support::markup_problem;
using testing_support::occurrences;
using testing_support::RankedCell;
using testing_support::ranks_made;
using testing_support::ResultsBuilder;

std::string ranks_figure_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return ranks_figure(view_of(results, findings));
}

std::string ranks_figure_of(const std::vector<RankedCell>& cells) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, cells);
  return ranks_figure_of(made.results);
}

TEST(RanksFigure, DrawsEachGroupBesideTheIdeal) {
  const std::string figure = ranks_figure_of(ranks_made().results);
  EXPECT_EQ(markup_problem(figure), "");
  EXPECT_EQ(occurrences(figure, "<polyline class=\"roof\""), 3U);
  EXPECT_EQ(occurrences(figure, "<h3>"), 3U);
  EXPECT_THAT(figure, HasSubstr("<polyline class=\"roof\" points=\"10.00,86.00 96.00,8.00\"/>"));
  EXPECT_THAT(figure, HasSubstr("aria-label=\"Speed-up against the number of ranks, "));
}

TEST(RanksFigure, SaysInWordsWhatItShows) {
  const std::string figure = ranks_figure_of(ranks_made().results);
  EXPECT_THAT(figure, HasSubstr("<p class=\"finding\">Pays up to 4 ranks: "));
  EXPECT_THAT(figure, HasSubstr("<p class=\"note\">At 8 ranks: held back by the exchange"));
  EXPECT_THAT(figure, HasSubstr("step without exchange [95 %]"));
}

TEST(RanksFigure, DrawsNoSpeedUpThatNobodyMeasured) {
  const std::string figure = ranks_figure_of({{2, 8, 8e-3}, {4, 8, 4e-3}});
  EXPECT_EQ(markup_problem(figure), "");
  EXPECT_THAT(figure, Not(HasSubstr("<polyline")));
  EXPECT_THAT(figure, Not(HasSubstr("class=\"one\"")));  // no ideal either
  EXPECT_THAT(figure, HasSubstr("<b>8.00 ms</b>"));
}

TEST(RanksFigure, StandsInThePageOfASweepWithRanksOnly) {
  const auto results = ranks_made().results;
  const std::string page = html(results, analysis::findings_of(results));
  EXPECT_THAT(page, HasSubstr("<figure class=\"ranks\">"));
  EXPECT_EQ(markup_problem(page), "");
  EXPECT_EQ(ranks_figure_of(full_results()), "");
}

}  // namespace
}  // namespace regatta::report
