#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "analysis/contrasts/contrasts.hpp"
#include "report/sample_results.hpp"

namespace regatta::analysis {
namespace {

using testing_support::arm;
using testing_support::ResultsBuilder;

constexpr double some_evidence = 20;  // e-value that one contrast needs

/// One contrast whose pairs have these ratios, measured in ten seconds a pair.
struct Measured {
  ResultsBuilder made;
  Contrast contrast;

  explicit Measured(const std::vector<double>& ratios) {
    const TrialIndex graph = made.trial(arm("native", "graph", 1)), eager = made.trial(arm("native", "eager", 1));
    const BlockIndex block = made.block({graph, eager});
    made.slices(block, graph, std::vector<double>(ratios.size(), 1));
    made.slices(block, eager, ratios);
    made.results.blocks[0].end_wall_seconds = 10 * static_cast<double>(ratios.size());
    const Judge judge = judge_of(made.results);
    contrast = contrasts(judge).contrasts.at(0);
    contrast.resolution.reset();
    contrast.outlook.reset();
  }

  const Contrast& told(double needed_evidence = some_evidence) {
    tell_resolution(contrast, judge_of(made.results), needed_evidence);
    return contrast;
  }
};

TEST(Outlook, IsAboutTheUsualTargetWhereThereIsAVerdict) {
  Measured measured({2, 2.2, 1.9});
  const Contrast& found = measured.told();
  ASSERT_EQ(found.verdict, stats::Verdict::slower);
  ASSERT_TRUE(found.resolution && found.outlook);
  EXPECT_GT(*found.resolution, found.outlook->target);
  EXPECT_DOUBLE_EQ(found.outlook->target, 0.02) << "twice the margin";
}

TEST(Outlook, CountsPairsThatLackAndTheirTime) {
  Measured measured({1.06, 1.04, 1.05, 1.03});
  const Contrast& found = measured.told();
  ASSERT_TRUE(found.outlook);
  EXPECT_GT(found.outlook->more_pairs, 0);
  EXPECT_DOUBLE_EQ(found.outlook->seconds, 10 * static_cast<double>(found.outlook->more_pairs));
}

TEST(Outlook, OfWhatIsNotKnownIsAboutTheDifferenceThatIsSeen) {
  Measured measured({1.3, 1.7});
  const Contrast& found = measured.told();
  ASSERT_EQ(found.verdict, stats::Verdict::undecided);
  ASSERT_TRUE(found.outlook);
  EXPECT_NEAR(found.outlook->target, found.ratio - 1, 1e-9);
}

TEST(Outlook, NeedsMoreWhereManyContrastsAskForMoreEvidence) {
  Measured measured({1.06, 1.04, 1.05, 1.03});
  const double alone = measured.told().resolution.value();
  EXPECT_GT(measured.told(2000).resolution.value(), alone);
}

TEST(Outlook, OfOneThatIsNearlyKnownIsAboutWhatItLacks) {
  Measured measured({1.0, 1.0, 1.0});
  Contrast& contrast = measured.contrast;
  contrast.verdict = stats::Verdict::undecided;
  contrast.ratio = 1.005, contrast.low = 0.998, contrast.high = 1.0115;  // "same" if it were a little narrower
  const Contrast& found = measured.told();
  ASSERT_TRUE(found.outlook);
  EXPECT_LT(found.outlook->target, *found.resolution);
  EXPECT_NEAR(found.outlook->target, 1.01 * (1.01 / 1.005) - 1, 1e-9);
  contrast.outlook.reset();
  contrast.verdict = stats::Verdict::same;
  EXPECT_FALSE(measured.told().outlook) << "what is known within the usual target lacks nothing";
}

TEST(Outlook, PromisesNothingAtTheMargin) {
  Measured measured({1.01, 1.011, 1.009, 1.01, 1.0105, 1.0095, 1.01});
  const Contrast& found = measured.told();
  ASSERT_EQ(found.verdict, stats::Verdict::undecided);
  ASSERT_TRUE(found.outlook);
  EXPECT_EQ(found.outlook->more_pairs, 0);
}

TEST(Outlook, IsNothingWithoutAnInterval) {
  Measured measured({2});
  measured.contrast.low.reset();
  measured.contrast.high.reset();
  EXPECT_FALSE(measured.told().resolution);
  EXPECT_FALSE(measured.contrast.outlook);
}

}  // namespace
}  // namespace regatta::analysis
