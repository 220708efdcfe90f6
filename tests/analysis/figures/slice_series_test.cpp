#include "regatta/analysis/slice_series.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"

namespace regatta::analysis {
namespace {

using stats::Phase;
using testing_support::arm;
using testing_support::ResultsBuilder;

TEST(SliceSeries, HasAnEntryForEachArmInTheOrderOfTime) {
  const auto results = testing_support::full_results();
  const auto all = slice_series(results, {BlockIndex{0}, BlockIndex{1}});
  ASSERT_EQ(all.size(), 2U);
  ASSERT_EQ(all[0].arms.size(), 4U);
  EXPECT_FALSE(all[0].arms[0].is_clone);
  EXPECT_TRUE(all[0].arms[3].is_clone);
  EXPECT_EQ(all[0].places, 8U * 16U);
  for (const ArmSeries& series : all[0].arms) {
    EXPECT_EQ(series.points.size(), 8U * 4U);
    EXPECT_TRUE(std::is_sorted(series.points.begin(), series.points.end(),
                               [](const auto& x, const auto& y) { return x.place < y.place; }));
  }
  EXPECT_NEAR(all[0].arms[0].median_seconds, 2e-6, 1e-9);
  EXPECT_EQ(std::count_if(all[1].arms[1].points.begin(), all[1].arms[1].points.end(),
                          [](const auto& point) { return point.flags != 0; }),
            2);
}

TEST(SliceSeries, TellsThePilotFromWhatCountsAndLeavesFirstStepsOut) {
  ResultsBuilder made;
  const auto trial = made.trial(arm("native", "graph", 1));
  const auto block = made.block({trial}, false);
  made.sample(block, {0, 0, 0, Phase::first, 1});
  made.sample(block, {0, 0, 1, Phase::warmup, 40});
  made.sample(block, {0, 0, 2, Phase::reentry, 90});
  made.sample(block, {0, 0, 2, Phase::steady, 20});
  made.sample(block, {0, 0, 2, Phase::steady, 40});
  const auto all = slice_series(made.results, {block});
  ASSERT_EQ(all.size(), 1U);
  const auto& points = all[0].arms.at(0).points;
  ASSERT_EQ(points.size(), 2U);
  EXPECT_FALSE(points[0].is_scored);
  EXPECT_DOUBLE_EQ(points[0].step_seconds, 4);
  EXPECT_TRUE(points[1].is_scored);
  EXPECT_DOUBLE_EQ(points[1].step_seconds, 3);
}

TEST(SliceSeries, FindsTwoSpeeds) {
  ResultsBuilder made;
  const auto trial = made.trial(arm("native", "graph", 1));
  const auto block = made.block({trial}, false);
  for (std::uint32_t slice = 0; slice < 20; ++slice)
    made.sample(block, {0, 0, slice, Phase::steady, slice % 2 == 0 ? 10.0 + 0.001 * slice : 20.0 + 0.001 * slice});
  const auto all = slice_series(made.results, {block});
  EXPECT_EQ(all.at(0).arms.at(0).modes.size(), 2U);
}

TEST(SliceSeries, LeavesOutBlocksWithoutSlices) {
  ResultsBuilder made;
  const auto block = made.block({made.trial(arm("native", "graph", 1))}, false);
  EXPECT_TRUE(slice_series(made.results, {block}).empty());
}

}  // namespace
}  // namespace regatta::analysis
