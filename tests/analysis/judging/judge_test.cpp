#include "analysis/judging/judge.hpp"

#include <gtest/gtest.h>

#include "analysis/judging/block_values.hpp"
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

TEST(Judge, AssumesOfTwoArmsWhatOtherPairsOfSuchProcessesShowed) {
  const auto results = with_clone(1);
  const Judge judge = judge_of(results);
  EXPECT_EQ(judge.options.prior, stats::SpreadPrior()) << "without trials nothing is known of their pairs";
  EXPECT_EQ(judge.options_for(results.trials[0], results.trials[1]).prior,
            judge.spreads.prior_of(results.trials[0], results.trials[1]));
  EXPECT_EQ(judge.options_for(BlockIndex{0}, 1, 0).prior, judge.spreads.prior_of(BlockIndex{0}, 1, 0));
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
