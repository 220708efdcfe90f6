#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"
#include "report/markup.hpp"
#include "report/page/figures/figures.hpp"

namespace regatta::report {
namespace {

using stats::Phase;
using testing::HasSubstr;
using testing::Not;
using testing_support::arm;
using testing_support::full_results;
using testing_support::ResultsBuilder;

std::string slices_of(const results::Results& results) {
  const auto findings = analysis::findings_of(results);
  return slices_figure(view_of(results, findings));
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t times = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++times;
  return times;
}

/// Thirty slices of one arm whose time grows by `growth` from the first to the last.
ResultsBuilder rising(double growth) {
  ResultsBuilder made;
  const auto block = made.block({made.trial(arm("native", "graph", 1))}, false);
  for (std::uint32_t slice = 0; slice < 30; ++slice)
    made.sample(block, {0, 0, slice, Phase::steady, 1e-3 * (1 + growth * slice / 29)});
  return made;
}

TEST(SlicesFigure, HasAFoldedStripForEachArmOfEachBlock) {
  const std::string figure = slices_of(full_results());
  EXPECT_EQ(testing_support::markup_problem(figure), "");
  EXPECT_EQ(count_of(figure, "<details>"), 3U);
  EXPECT_EQ(count_of(figure, "<svg class=\"strip\""), 4U + 3U + 3U);
  EXPECT_THAT(figure, HasSubstr("native graph (again)"));
}

TEST(SlicesFigure, PutsDoubtfulBlocksFirst) {
  const std::string figure = slices_of(full_results());
  EXPECT_LT(figure.find("<summary>batch 2048</summary>"), figure.find("<summary>batch 1</summary>"));
}

TEST(SlicesFigure, MarksDisturbedSlices) {
  const std::string figure = slices_of(full_results());
  EXPECT_EQ(count_of(figure, "<path class=\"flag\""), 1U);
  auto results = full_results();
  for (auto& row : results.samples) row.sample.flags = 0;
  EXPECT_THAT(slices_of(results), Not(HasSubstr("<path class=\"flag\"")));
}

TEST(SlicesFigure, ShowsASeriesThatRises) {
  // The last third of slices 0 to 29 lies around slice 24.5, the first around 4.5: 20/29 of the growth apart.
  EXPECT_THAT(slices_of(rising(0.1).results), HasSubstr("+6.79 %"));
  EXPECT_THAT(slices_of(rising(0).results), HasSubstr("+0.00 %"));
}

TEST(SlicesFigure, ShadesThePilot) {
  auto made = rising(0);
  EXPECT_THAT(slices_of(made.results), HasSubstr("<rect class=\"band\" x=\"0\" y=\"0\" width=\"0.0\""));
  for (std::size_t i = 0; i < 6; ++i) made.results.samples[i].sample.phase = Phase::warmup;
  EXPECT_THAT(slices_of(made.results), HasSubstr("<rect class=\"band\" x=\"0\" y=\"0\" width=\"17.4\""));  // 84 x 6/29
  EXPECT_THAT(slices_of(made.results), HasSubstr("class=\"dots d0 pilot\""));
}

TEST(SlicesFigure, StaysSmallHoweverMuchWasMeasured) {
  ResultsBuilder made;
  for (std::int64_t batch = 1; batch <= 60; ++batch) {
    const auto block = made.block({made.trial(arm("native", "graph", batch))}, false);
    for (std::uint32_t slice = 0; slice < 1500; ++slice) made.sample(block, {0, 0, slice, Phase::steady, 1e-3});
  }
  const std::string figure = slices_of(made.results);
  EXPECT_LT(figure.size(), 400'000U);
  EXPECT_THAT(figure, HasSubstr("47 more blocks are in /samples of the result file."));  // 13 x 1500 slices are shown
}

TEST(SlicesFigure, IsEmptyWithoutSlices) { EXPECT_EQ(slices_of({}), ""); }

}  // namespace
}  // namespace regatta::report
