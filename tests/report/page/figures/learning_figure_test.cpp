#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"
#include "regatta/analysis/findings.hpp"
#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing_support::falling;
using testing_support::occurrences;
using testing_support::trained;

std::string drawn(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return learning_figure(view_of(results, findings));
}

TEST(LearningFigure, DrawsALineForEachOfTheFirstAndAThinOneForEachSearched) {
  const auto results = trained({.configurations = 18, .quality = falling(0.95, 0.03)});
  const auto finalists = analysis::learning_of(results)->ranking.size();
  const std::string svg = drawn(results);
  EXPECT_EQ(occurrences(svg, "<polyline class=\"curve s"), 2 * finalists)
      << "once against samples, once against seconds";
  EXPECT_EQ(occurrences(svg, "<polyline class=\"trace\""), 2 * 18U);
  EXPECT_EQ(occurrences(svg, "class=\"end-label\""), 2 * finalists);
}

TEST(LearningFigure, DrawsAtMostEightLines) {
  EXPECT_EQ(occurrences(drawn(trained({.configurations = 12, .searches = false, .quality = falling(0.95, 0.01)})),
                        "<polyline class=\"curve s"),
            16U);
}

TEST(LearningFigure, IsEmptyWhereNothingTrains) { EXPECT_EQ(drawn(testing_support::full_results()), ""); }

}  // namespace
}  // namespace regatta::report
