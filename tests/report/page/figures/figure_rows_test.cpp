#include "report/page/figures/figure_rows.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "report/markup.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;

TEST(FigureRows, AreATableToAScreenReaderWithoutTheDrawing) {
  const std::string html = figure_rows("ratios", figure_row("<numpy>", "", "<b>2x</b>"));
  EXPECT_EQ(testing_support::markup_problem(html), "");
  EXPECT_THAT(html, HasSubstr("role=\"table\" aria-label=\"ratios\""));
  EXPECT_THAT(html, HasSubstr("role=\"rowheader\">&lt;numpy&gt;</span>"));
  EXPECT_THAT(html, HasSubstr("aria-hidden=\"true\"></svg>"));
}

TEST(FigureRows, EveryVerdictHasAShapeOfItsOwn) {
  using stats::Verdict;
  std::set<std::string> shapes;
  for (const Verdict verdict : {Verdict::faster, Verdict::slower, Verdict::same, Verdict::undecided}) {
    const std::string mark = verdict_mark("1%", verdict);
    shapes.insert(mark.substr(mark.find(" d=")));
  }
  EXPECT_EQ(shapes.size(), 4U);
}

TEST(FigureRows, ShowTheBandInWhichDifferencesDoNotMatter) {
  const LogAxis axis({0.5, 2}, 0, 100);
  const std::string mark = ratio_mark({1.5, 1.4, 1.6, 0.1, stats::Verdict::slower}, axis);
  EXPECT_THAT(mark, HasSubstr("<rect class=\"band\" x=\"43.12%\" width=\"13.75%\""));  // 1/1.1 to 1.1
  EXPECT_THAT(ratio_mark({1.5, {}, {}, 0, stats::Verdict::slower}, axis), Not(HasSubstr("class=\"b")));
}

}  // namespace
}  // namespace regatta::report
