#include "regatta/analysis/learning_curves.hpp"

#include <gtest/gtest.h>

#include "analysis/learning/trained.hpp"

namespace regatta::analysis {
namespace {

using testing_support::falling;
using testing_support::trained;

TEST(LearningCurves, HaveTheMedianAndTheRangeOfAllRuns) {
  const auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.9, 0.01)});
  const auto all = learning_curves(results, *learning_of(results), 8);
  ASSERT_EQ(all.curves.size(), 2U);
  EXPECT_EQ(all.curves[0].runs, 12U);
  ASSERT_EQ(all.curves[0].stages.size(), 4U);
  const CurveStage& last = all.curves[0].stages.back();
  EXPECT_EQ(last.progress, 8000);
  EXPECT_LT(last.low, last.median);
  EXPECT_LT(last.median, last.high);
  EXPECT_TRUE(all.traces.empty());
  EXPECT_EQ(learning_curves(results, *learning_of(results), 1).curves.size(), 1U);
}

TEST(LearningCurves, CountStepsWhereALoopReportsNoSamples) {
  auto results = trained({.configurations = 2, .searches = false, .quality = falling(0.9, 0.01)});
  for (auto& leg : results.legs) {
    std::int64_t step = 0;
    for (auto& point : leg.learned.curve.points) {
      point.samples = 0;
      point.step = step += 10;
    }
  }
  const auto all = learning_curves(results, *learning_of(results), 8);
  EXPECT_FALSE(all.by_samples);
  ASSERT_EQ(all.curves[0].stages.size(), 4U) << "and not one dot";
  EXPECT_EQ(all.curves[0].stages.back().progress, 40);
}

TEST(LearningCurves, EndWhereTheSearchStopped) {
  const auto results = trained({.configurations = 18, .quality = falling(0.95, 0.03)});
  const auto learning = *learning_of(results);
  const auto all = learning_curves(results, learning, 8);
  ASSERT_EQ(all.traces.size(), 18U);
  std::size_t trained_on = 0;
  for (const StoppedTrial& stopped : learning.stopped) {
    const auto trace = std::ranges::find(all.traces, stopped.trial, &SearchTrace::trial);
    ASSERT_NE(trace, all.traces.end());
    const double end = 8000 * sweep::end_of_rung(*learning.search, stopped.after_rung);
    EXPECT_NEAR(static_cast<double>(trace->points.back().first), end, 1) << stopped.trial.value;
    trained_on += stopped.trained_on ? 1 : 0;
  }
  EXPECT_GT(trained_on, 0U) << "what was trained on all the same is not drawn";
}

}  // namespace
}  // namespace regatta::analysis
