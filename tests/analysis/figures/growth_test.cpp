#include "regatta/analysis/growth.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/full_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;
using testing::ElementsAre;
using testing::Pair;
using testing_support::arm;
using testing_support::ResultsBuilder;
using testing_support::sample_results;

std::optional<Growth> growth_of(const results::Results& results, const GrowthLimits& limits = {}) {
  return growth(results, axes_of(results), limits);
}

/// One graph arm at batches 1 .. count, 6 us a step each.
ResultsBuilder batches(std::int64_t count) {
  ResultsBuilder made;
  for (std::int64_t batch = 1; batch <= count; ++batch) {
    made.metrics(made.trial(arm("native", "graph", batch)), 6e-6, static_cast<double>(batch));
  }
  return made;
}

TEST(Growth, DividesTimeByBatch) {
  const auto found = growth_of(batches(3).results);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->axis, Param::batch);
  EXPECT_TRUE(found->per_sample);
  ASSERT_EQ(found->panels.size(), 1U);
  EXPECT_THAT(found->panels[0].curves.at(0).seconds, ElementsAre(Pair(1, 6e-6), Pair(2, 3e-6), Pair(3, 2e-6)));
}

TEST(Growth, HasACurveForEachArmThatWasMeasured) {
  const auto found = growth_of(sample_results());
  ASSERT_TRUE(found);
  std::vector<std::string> names;
  for (const auto& curve : found->panels.at(0).curves) names.push_back(curve.name);
  EXPECT_THAT(names, ElementsAre("native graph", "native eager", "numpy"));
}

TEST(Growth, TakesTheMedianOverRepeats) {
  ResultsBuilder made = batches(2);
  for (const auto& [repeat, seconds] : {std::pair(std::int64_t{1}, 2e-6), {std::int64_t{2}, 8e-6}}) {
    auto values = arm("native", "graph", 1);
    values.emplace_back(Param::repeat, repeat);
    made.metrics(made.trial(values), seconds, 1);
  }
  const auto found = growth_of(made.results);
  ASSERT_TRUE(found);
  EXPECT_THAT(found->panels.at(0).curves.at(0).seconds, ElementsAre(Pair(1, 6e-6), Pair(2, 3e-6)));
}

TEST(Growth, KnowsTheIntervalOfWhatWasComparedAndTheLeastThatTheCoresAllow) {
  const auto found = growth_of(testing_support::full_results());
  ASSERT_TRUE(found);
  const Panel& panel = found->panels.at(0);
  const Curve& graph = panel.curves.at(0);
  EXPECT_NEAR(graph.seconds.at(1), 2e-6, 1e-9);
  EXPECT_NEAR(graph.ranges.at(1).low, 0.98 * 2e-6, 1e-9);  // the smallest and largest of seven processes
  EXPECT_NEAR(graph.ranges.at(1).high, 1.02 * 2e-6, 1e-9);
  EXPECT_EQ(panel.roofline.size(), 3U);
  EXPECT_NEAR(panel.roofline.at(1), panel.roofline.at(2048), 1e-15);  // per sample
}

TEST(Growth, IsNothingWithoutTwoValues) {
  EXPECT_FALSE(growth_of(batches(1).results));
  EXPECT_FALSE(growth_of({}));
}

TEST(Growth, IsPerStepIfATrialOnTheAxisReadsNoBatch) {
  ResultsBuilder made;
  for (const std::int64_t length : {140, 1400}) {
    made.metrics(made.trial({{Param::engine, std::string("native")}, {Param::length, length}}), 5e-3, 1);
  }
  const auto found = growth_of(made.results);
  ASSERT_TRUE(found);
  EXPECT_EQ(found->axis, Param::length);
  EXPECT_FALSE(found->per_sample);
}

TEST(Growth, KeepsItsLimitsAndSaysSo) {
  const auto found = growth_of(batches(100).results, {.panels = 1, .curves = 1, .values = 10});
  ASSERT_TRUE(found);
  EXPECT_EQ(found->panels[0].curves[0].seconds.size(), 10U);
  EXPECT_TRUE(found->left_out);
  EXPECT_FALSE(growth_of(batches(10).results)->left_out);
}

}  // namespace
}  // namespace regatta::analysis
