#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/analysis/findings.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"
#include "report/rank_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::add_ranks;
using testing_support::markup_problem;
using testing_support::RankedCell;
using testing_support::ResultsBuilder;

/// The figure for the one group that these cells make.
std::string rank_times_of(const std::vector<RankedCell>& cells) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, cells);
  return rank_times(analysis::findings_of(made.results).ranks.at(0));
}

TEST(RankTimes, DividesAStepWhereTheExchangeIsTold) {
  const std::string figure = rank_times_of({{1, 1, 8e-3}, {2, 8, 4e-3, 1e-3}});
  EXPECT_THAT(figure, HasSubstr("<line class=\"rung\" x1=\"0.00%\" x2=\"96.00%\""));      // one rank: the longest
  EXPECT_THAT(figure, HasSubstr("<line class=\"rung\" x1=\"0.00%\" x2=\"36.00%\""));      // 3 of 8 ms
  EXPECT_THAT(figure, HasSubstr("<line class=\"exposed\" x1=\"36.00%\" x2=\"48.00%\""));  // 1 of 8 ms
  EXPECT_THAT(figure, HasSubstr("<b>4.00 ms</b> exchange 1.00 ms (25 %)"));
  EXPECT_THAT(figure, HasSubstr("<line class=\"one\" x1=\"48.00%\" x2=\"48.00%\" y1=\"2\""));  // half of 8 ms
  EXPECT_THAT(figure, Not(HasSubstr("not told")));
}

TEST(RankTimes, InventsNoExchange) {
  const std::string figure = rank_times_of({{1, 1, 8e-3}, {2, 8, 4e-3}});
  EXPECT_THAT(figure, HasSubstr("<line class=\"rung untold\" x1=\"0.00%\" x2=\"48.00%\""));
  EXPECT_THAT(figure, HasSubstr("<b>4.00 ms</b> exchange not told"));
  EXPECT_THAT(figure, Not(HasSubstr("class=\"exposed\"")));
}

TEST(RankTimes, GiveEachRankItsSamplesWhereBatchesGrow) {
  analysis::RankScaling group;
  group.each_ranks = 64;
  group.base = 0;
  group.cells.resize(2);
  group.cells[0].step_seconds = 4e-3;
  group.cells[1].step_seconds = 8e-3;
  group.cells[1].ranks = 2;
  const std::string figure = rank_times(group);
  EXPECT_EQ(markup_problem(figure), "");
  EXPECT_THAT(figure, HasSubstr("<line class=\"one\" x1=\"48.00%\" x2=\"48.00%\" y1=\"2\""));  // as long as the base
}

}  // namespace
}  // namespace regatta::report
