#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/figures.hpp"
#include "report/markup.hpp"
#include "report/sample_results.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing_support::sample_results;

std::string figure_of(const results::Results& results) {
  const auto contrasts = analysis::contrasts(results);
  return line_figure(view_of(results, contrasts));
}

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

TEST(LineFigure, DrawsALineForEachArmWithMarksOfItsOwn) {
  const std::string figure = figure_of(sample_results());
  EXPECT_EQ(testing_support::markup_problem(figure), "");
  EXPECT_THAT(figure, HasSubstr("Time per sample against batch"));
  EXPECT_EQ(count(figure, "<line class=\"s0\""), 1U);  // native graph: two points
  EXPECT_EQ(count(figure, "<line class=\"s2\""), 0U);  // numpy failed at 32: one point
  EXPECT_EQ(count(figure, "<path class=\"s0\""), 3U);  // legend and two points
  EXPECT_EQ(count(figure, "<path class=\"s2\""), 2U);
}

TEST(LineFigure, MarksTheMeasuredValuesOfTheAxis) {
  const std::string figure = figure_of(sample_results());
  EXPECT_THAT(figure, HasSubstr(">1</text>"));
  EXPECT_THAT(figure, HasSubstr(">32</text>"));
}

TEST(LineFigure, IsEmptyWithoutANumericAxis) { EXPECT_EQ(figure_of({}), ""); }

}  // namespace
}  // namespace regatta::report
