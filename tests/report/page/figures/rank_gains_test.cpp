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
std::string rank_gains_of(const std::vector<RankedCell>& cells) {
  ResultsBuilder made;
  add_ranks(made, "mlp-784", {256}, cells);
  return rank_gains(analysis::findings_of(made.results).ranks.at(0));
}

TEST(RankGains, PutsAPerfectSpeedUpOnTheIdealLine) {
  const std::string figure = rank_gains_of({{1, 1, 8e-3}, {2, 1, 4e-3}});
  EXPECT_THAT(figure, HasSubstr("<svg x=\"10.00%\" y=\"86.00%\""));  // the base
  const auto ideal = figure.find("points=\"10.00,86.00 96.00,");
  ASSERT_NE(ideal, std::string::npos);
  const std::string top = figure.substr(ideal + 26, 5);  // its percent at two ranks
  EXPECT_THAT(figure, HasSubstr("x2=\"96.00%\" y2=\"" + top + "%\""));
}

TEST(RankGains, DrawsIntervalsButNoneForTheBase) {
  const std::string figure = rank_gains_of({{1, 1, 8e-3}, {2, 8, 5e-3}});
  EXPECT_EQ(testing_support::occurrences(figure, "whisker"), 3U);  // two ranks have one line and two ends
}

TEST(RankGains, HasALineForEachNumberOfShards) {
  const std::string figure = rank_gains_of({{1, 1, 8e-3}, {1, 8, 9e-3}, {2, 8, 5e-3}, {2, 16, 5e-3}});
  EXPECT_EQ(markup_problem(figure), "");
  for (const char* shards : {"shards 1<", "shards 8<", "shards 16<"}) EXPECT_THAT(figure, HasSubstr(shards));
  EXPECT_THAT(figure, HasSubstr("class=\"s2\""));
}

TEST(RankGains, HasRoomForWhatIsSlowerThanOneRank) {
  EXPECT_THAT(rank_gains_of({{1, 1, 2e-3}, {2, 8, 8e-3}}), HasSubstr(">0.5x</text>"));
  EXPECT_THAT(rank_gains_of({{1, 1, 8e-3}, {2, 8, 5e-3}}), Not(HasSubstr(">0.5x</text>")));
}

}  // namespace
}  // namespace regatta::report
