#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing_support::occurrences;
using testing_support::sample_results;

std::string lines_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return line_figure(view_of(results, findings));
}

TEST(LineFigure, DrawsALineForEachArmWithMarksOfItsOwn) {
  const std::string figure = lines_of(sample_results());
  EXPECT_EQ(testing_support::markup_problem(figure), "");
  EXPECT_THAT(figure, HasSubstr("Time per sample against batch"));
  EXPECT_EQ(occurrences(figure, "<line class=\"s0\""), 1U);  // native graph: two points
  EXPECT_EQ(occurrences(figure, "<line class=\"s2\""), 0U);  // numpy failed at 32: one point
  EXPECT_EQ(occurrences(figure, "<path class=\"s0\""), 3U);  // legend and two points
  EXPECT_EQ(occurrences(figure, "<path class=\"s2\""), 2U);
}

TEST(LineFigure, MarksTheMeasuredValuesOfTheAxis) {
  const std::string figure = lines_of(sample_results());
  EXPECT_THAT(figure, HasSubstr(">1</text>"));
  EXPECT_THAT(figure, HasSubstr(">32</text>"));
}

TEST(LineFigure, HasRibbonsTheRooflineCrossoversAndATable) {
  const std::string figure = lines_of(testing_support::full_results());
  EXPECT_EQ(testing_support::markup_problem(figure), "");
  EXPECT_EQ(occurrences(figure, "<path class=\"ribbon "), 3U);
  EXPECT_EQ(occurrences(figure, "<polyline class=\"roof\""), 1U);
  EXPECT_EQ(occurrences(figure, "<line class=\"crossing\""), 1U);  // numpy overtakes between batch 32 and 2048
  EXPECT_THAT(figure, HasSubstr("<th scope=\"row\" class=\"n\">32</th>"));
  EXPECT_THAT(figure, HasSubstr("<td class=\"n\">2.00 us [1.96 us, 2.04 us]</td>"));
}

TEST(LineFigure, IsEmptyWithoutANumericAxis) { EXPECT_EQ(lines_of({}), ""); }

}  // namespace
}  // namespace regatta::report
