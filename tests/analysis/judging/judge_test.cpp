#include "analysis/judging/judge.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "analysis/judging/block_values.hpp"
#include "analysis/judging/floors.hpp"
#include "regatta/stats/rules.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::arm;
using testing_support::ResultsBuilder;

/// native graph, native eager, and a clone of graph that takes `clone` times as long; nine squares.
results::Results with_clone(double clone) {
  ResultsBuilder made;
  const auto graph = made.trial(arm("native", "graph", 1));
  const auto eager = made.trial(arm("native", "eager", 1));
  const auto block = made.block({graph, eager, graph});
  made.results.blocks[0].has_clone = true;
  made.slices_of_arm(block, 0, std::vector<double>(9, 1));
  made.slices_of_arm(block, 1, std::vector<double>(9, 2));
  made.slices_of_arm(block, 2, std::vector<double>(9, clone));
  return made.results;
}

TEST(Judge, TakesMarginAndMetricFromTheSweep) {
  auto results = testing_support::sample_results();
  EXPECT_EQ(judge_of(results).options.margin, stats::rules::margin);
  results.provenance.sweep_json.insert(results.provenance.sweep_json.rfind('}'),
                                       R"(, "measure": {"margin": "2%", "metric": "time_per_step"})");
  const Judge judge = judge_of(results);
  ASSERT_TRUE(judge.spec);
  EXPECT_EQ(judge.options.margin, 0.02);
  EXPECT_EQ(judge.metric(), sweep::Metric::time_per_step);
}

TEST(Judge, AsksWhatClonesOfBothEnginesShowed) {
  const auto results = with_clone(1.05);
  const Judge judge = judge_of(results);
  const auto options = judge.options_for(results.trials[0], results.trials[1]);
  EXPECT_NEAR(options.floor, 0.05, 1e-12);
  EXPECT_NEAR(options.process_effect, std::log(1.05), 1e-12);
  EXPECT_EQ(judge.options.floor, 0) << "without trials nothing is known of their engines";
}

TEST(Floors, AreUnknownAndTheProcessEffectAssumedWithoutClones) {
  const auto results = testing_support::sample_results();
  const Judge judge = judge_of(results);
  const auto& floors = judge.floors;
  EXPECT_EQ(floors.floor_of(results.trials[0], results.trials[1]), 0);
  EXPECT_EQ(floors.process_effect_of(results.trials[0], results.trials[1]), stats::rules::assumed_process_effect);
  EXPECT_EQ(floors.identical().total(), 0);
}

TEST(Floors, CountWhatIdenticalCodeSaid) {
  EXPECT_EQ(judge_of(with_clone(1)).floors.identical().same, 1);
  EXPECT_EQ(judge_of(with_clone(1.05)).floors.identical().wrong, 1);
}

TEST(BlockValues, AreSlicesByArmOfBlocksWithABaseline) {
  const auto results = with_clone(1);
  const auto values = block_values(results, {});
  ASSERT_EQ(values.size(), 1U);
  ASSERT_EQ(values[0].size(), 3U);
  EXPECT_EQ(values[0][1].size(), 27U) << "nine squares of three slices";
  EXPECT_EQ(samples_by_block(results)[0].size(), results.samples.size());
  auto alone = results;
  alone.blocks[0].has_baseline = false;
  EXPECT_TRUE(block_values(alone, {})[0].empty());
}

}  // namespace
}  // namespace regatta::analysis
