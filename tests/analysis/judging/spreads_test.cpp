#include "analysis/judging/spreads.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/judging/judge.hpp"
#include "regatta/analysis/pair_spreads.hpp"
#include "regatta/sweep/processes.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::arm;
using testing_support::ResultsBuilder;

/// Ratios of six pairs that scatter by so much (log) about `middle`.
std::vector<double> scattered(double middle, double spread) {
  std::vector<double> ratios;
  for (const double off : {1.0, -1.0, 0.5, -0.5, 1.0, -1.0}) ratios.push_back(middle * std::exp(off * spread));
  return ratios;
}

/// Blocks at batch 1, 2, ...: eager against graph, whose pairs scatter by one of `spreads` each.
results::Results of_blocks(const std::vector<double>& spreads) {
  ResultsBuilder made;
  for (std::size_t at = 0; at < spreads.size(); ++at) {
    const auto batch = static_cast<std::int64_t>(at + 1);
    const TrialIndex graph = made.trial(arm("native", "graph", batch));
    const TrialIndex eager = made.trial(arm("native", "eager", batch));
    const BlockIndex block = made.block({graph, eager});
    made.slices(block, graph, std::vector<double>(6, 1));
    made.slices(block, eager, scattered(2, spreads[at]));
  }
  return made.results;
}

double usual(const stats::SpreadPrior& prior) { return stats::usual_spread(prior); }

TEST(Spreads, OfAContrastComeFromAllOthersAndNotFromItself) {
  const results::Results results = of_blocks({0.2, 0.004});
  const Judge judge = judge_of(results);
  const double unknown = usual({});
  EXPECT_LT(usual(judge.spreads.prior_of(BlockIndex{0}, 1, 0)), unknown) << "the other one's pairs were alike";
  EXPECT_GT(usual(judge.spreads.prior_of(BlockIndex{1}, 1, 0)), unknown) << "the other one's pairs were not";
  EXPECT_EQ(judge.spreads.prior_of(BlockIndex{0}, 0, 1), judge.spreads.prior_of(BlockIndex{0}, 1, 0));
}

TEST(Spreads, OfTheOnlyContrastAreUnknown) {
  const results::Results results = of_blocks({0.2});
  const Judge judge = judge_of(results);
  EXPECT_NEAR(usual(judge.spreads.prior_of(BlockIndex{0}, 1, 0)), usual({}), 1e-9);
  EXPECT_GT(usual(judge.spreads.prior_of(results.trials[0], results.trials[1])), usual({}))
      << "to two trials without a block its pairs are others";
}

TEST(Spreads, OfEarlierRunsCountToo) {
  results::Results results = of_blocks({0.004});
  stats::SpreadHistory history;
  history.add(12 * 0.3 * 0.3, 12, 0);
  results.provenance.spreads.add(sweep::process_class(results.trials[0].parameters),
                                 sweep::process_class(results.trials[1].parameters), history);
  const Judge judge = judge_of(results);
  EXPECT_EQ(judge.spreads.prior_of(BlockIndex{0}, 1, 0), stats::prior_from(history));
  EXPECT_TRUE(judge.spreads.pool().histories().begin()->second.degrees < history.degrees) << "they are not this run's";
}

TEST(Spreads, OfAnotherDeviceSayNothing) {
  results::Results results = of_blocks({0.2, 0.004});
  for (const std::size_t trial : {2U, 3U}) results.trials[trial].device = 1;
  const Judge judge = judge_of(results);
  EXPECT_NEAR(usual(judge.spreads.prior_of(BlockIndex{0}, 1, 0)), usual({}), 1e-9);
}

/// Graph, eager and graph again, which takes `clone` times as long; nine pairs.
results::Results graph_twice(double clone) {
  ResultsBuilder made;
  const TrialIndex graph = made.trial(arm("native", "graph", 1)), eager = made.trial(arm("native", "eager", 1));
  const BlockIndex block = made.block({graph, eager, graph});
  made.results.blocks[0].has_clone = true;
  made.slices_of_arm(block, 0, std::vector<double>(9, 1));
  made.slices_of_arm(block, 1, std::vector<double>(9, 2));
  made.slices_of_arm(block, 2, std::vector<double>(9, clone));
  return made.results;
}

TEST(Spreads, OfClonesAreAboutNoDifference) {
  const auto of_contrast = [](double clone) {
    return usual(judge_of(graph_twice(clone)).spreads.prior_of(BlockIndex{0}, 1, 0));
  };
  EXPECT_LT(of_contrast(1), usual({}));
  EXPECT_GT(of_contrast(1.2), usual({})) << "its pairs are all alike, and all 20 % off the truth";
}

TEST(Spreads, CountWhatIdenticalCodeSaid) {
  EXPECT_EQ(judge_of(graph_twice(1)).spreads.identical().same, 1);
  const Judge apart = judge_of(graph_twice(1.2));
  EXPECT_EQ(apart.spreads.identical().wrong, 1);
  ASSERT_EQ(apart.spreads.clones().size(), 1U);
  EXPECT_NEAR(apart.spreads.clones()[0].ratio, 1.2, 1e-9);
}

TEST(PairSpreads, AreWhatLaterComparisonsBeginWith) {
  const results::Results results = of_blocks({0.004, 0.004});
  const auto class_of = [&](std::size_t trial) { return sweep::process_class(results.trials[trial].parameters); };
  const stats::SpreadPool pool = pair_spreads(results);
  const stats::SpreadHistory pairs = pool.of(class_of(1), class_of(0));
  EXPECT_EQ(pairs.degrees, 2 * 5) << "two contrasts of six pairs";
  EXPECT_EQ(pool.of(class_of(0), class_of(1)), pairs);
  EXPECT_EQ(pool.of("numpy", class_of(0)).degrees, 0);
  EXPECT_TRUE(pair_spreads(testing_support::explained_results()).is_empty()) << "what explains is no contrast";
}

}  // namespace
}  // namespace regatta::analysis
