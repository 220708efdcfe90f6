#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing_support::full_results;
using testing_support::sample_results;

std::string clones_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return clones_figure(view_of(results, findings));
}

TEST(ClonesFigure, StandsBesideWhatPlainLoopsWouldHaveSaid) {
  const std::string figure = clones_of(full_results());
  EXPECT_EQ(testing_support::markup_problem(figure), "");
  EXPECT_THAT(figure, HasSubstr("<h3>native graph batch 1</h3>"));
  EXPECT_THAT(figure, HasSubstr(">taking turns</span>"));
  EXPECT_THAT(figure, HasSubstr(">two plain loops</span>"));
}

TEST(ClonesFigure, SaysWhereOnePlainLoopAfterTheOtherIsWrong) {
  auto results = full_results();
  for (auto& row : results.samples) {
    const bool is_late = row.block == BlockIndex{0} && row.sample.slice > 7 * 20 / 2;  // a square has 20 slices
    if (is_late) row.sample.seconds *= 1.2;
  }
  EXPECT_THAT(clones_of(results), HasSubstr("\u201cdifferent\u201d"));
}

TEST(ClonesFigure, IsEmptyWithoutAClone) { EXPECT_EQ(clones_of(sample_results()), ""); }

}  // namespace
}  // namespace regatta::report
