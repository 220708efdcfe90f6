#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::arm;
using testing_support::ResultsBuilder;
using testing_support::sample_results;

std::string forest_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return forest_figure(view_of(results, findings));
}

TEST(ForestFigure, NamesTheBaselineOnceAndGroupsRowsBySetting) {
  const std::string figure = forest_of(sample_results());
  EXPECT_EQ(testing_support::markup_problem(figure), "");
  EXPECT_THAT(figure, HasSubstr("Time relative to native graph"));
  EXPECT_THAT(figure, HasSubstr("<h3>batch 1</h3>"));
  EXPECT_THAT(figure, HasSubstr("role=\"rowheader\">numpy</span>"));
}

TEST(ForestFigure, DrawsRatioAndIntervalOnOneAxis) {
  // The axis runs from 1x at 4 % to numpy's upper end (31.2x) at 96 %: 1.98x lies at 4 + 92 ln 1.98 / ln 31.2 = 22.2 %.
  const std::string figure = forest_of(sample_results());
  EXPECT_THAT(figure, HasSubstr("<line class=\"one\" x1=\"4.00%\" x2=\"4.00%\""));
  EXPECT_THAT(figure, HasSubstr("<svg x=\"22.2"));
}

TEST(ForestFigure, AnUndecidedRatioIsHollow) {
  ResultsBuilder made;
  const auto baseline = made.trial(arm("native", "graph", 1));
  const auto other = made.trial(arm("native", "eager", 1));
  const auto block = made.block({baseline, other});
  made.slices(block, baseline, {1, 1, 1});
  made.slices(block, other, {0.9, 1, 1.1});
  EXPECT_THAT(forest_of(made.results), HasSubstr("class=\"mark undecided\""));
  EXPECT_THAT(forest_of(sample_results()), Not(HasSubstr("class=\"mark undecided\"")));
}

TEST(ForestFigure, NamesBothArmsIfBaselinesDiffer) {
  auto results = sample_results();
  results.blocks[1].arms = {TrialIndex{4}, TrialIndex{3}};  // eager is the baseline at batch 32
  EXPECT_THAT(forest_of(results), HasSubstr("native graph / native eager"));
}

TEST(ForestFigure, IsEmptyWithoutRatios) { EXPECT_EQ(forest_of({}), ""); }

}  // namespace
}  // namespace regatta::report
