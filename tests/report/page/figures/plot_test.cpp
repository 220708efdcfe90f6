#include "report/page/figures/plot.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/markup.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(Plot, TellsSeriesApartByShape) {
  EXPECT_NE(series_mark(0, "8", "6"), series_mark(1, "8", "6"));
  EXPECT_EQ(series_mark(0, "8", "6"), series_mark(series_count, "8", "6"));
}

TEST(Plot, LeavesOutNumbersThatWouldTouch) {
  const LogAxis axis({1, 1000}, 0, 100);
  const std::string scale = value_scale(axis, {1, 1.1, 1000});
  EXPECT_THAT(scale, HasSubstr(">1</text>"));
  EXPECT_THAT(scale, Not(HasSubstr(">1.1</text>")));
  EXPECT_THAT(scale, HasSubstr(">1000</text>"));
}

TEST(Plot, SaysInWordsWhatItShows) {
  const std::string svg = plot("time \"against\" batch", stretched("<path d=\"M0,0\"/>"));
  EXPECT_EQ(testing_support::markup_problem(svg), "");
  EXPECT_THAT(svg, HasSubstr("role=\"img\" aria-label=\"time &quot;against&quot; batch\""));
}

}  // namespace
}  // namespace regatta::report
