#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::full_results;
using testing_support::sample_results;

std::string cold_start_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return cold_start_figure(view_of(results, findings));
}

TEST(ColdStartFigure, DrawsBothArmsAndWhereTheyCross) {
  const std::string figure = cold_start_of(full_results());
  EXPECT_EQ(testing_support::markup_problem(figure), "");
  EXPECT_THAT(figure, HasSubstr("<polyline class=\"curve s0\""));
  EXPECT_THAT(figure, HasSubstr("<polyline class=\"curve s1\""));
  EXPECT_THAT(figure, HasSubstr("<line class=\"crossing\""));
  EXPECT_THAT(figure, HasSubstr("pays back after"));
}

TEST(ColdStartFigure, HasATableOfEverySetting) {
  const std::string figure = cold_start_of(full_results());
  EXPECT_THAT(figure, HasSubstr("<td>batch 1</td><td>native graph</td><td class=\"n\">500 ms</td>"));
  EXPECT_THAT(figure, HasSubstr("<td>batch 32</td>"));
  EXPECT_THAT(figure, HasSubstr("<td class=\"n\">not known</td>")) << "undecided at batch 2048";
  EXPECT_THAT(figure, Not(HasSubstr("never")));
}

TEST(ColdStartFigure, BeginsAtTheStartOfTheProcess) {
  EXPECT_THAT(cold_start_of(full_results()), HasSubstr("<b>Time since the process started, "));
}

TEST(ColdStartFigure, IsEmptyWhereNobodyStartsLater) { EXPECT_EQ(cold_start_of(sample_results()), ""); }

}  // namespace
}  // namespace regatta::report
