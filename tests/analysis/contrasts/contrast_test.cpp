#include "regatta/analysis/contrast.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::analysis {
namespace {

TEST(VerdictText, HasTheWordOfTheMetric) {
  Contrast contrast;
  contrast.verdict = stats::Verdict::faster;
  EXPECT_EQ(verdict_text(contrast), "faster");
  contrast.metric = sweep::Metric::peak_memory;
  EXPECT_EQ(verdict_text(contrast), "smaller");
}

TEST(JudgedRatio, IsEarlyUntilItIsConfirmed) {
  Contrast contrast;
  contrast.verdict = stats::Verdict::faster;
  EXPECT_TRUE(judged_ratio(contrast).early);
  contrast.confirmed = true;
  EXPECT_FALSE(judged_ratio(contrast).early);
}

TEST(HangsOnDisturbed, WhereFiveUndisturbedSquaresGiveAnotherVerdict) {
  Contrast contrast;
  contrast.verdict = stats::Verdict::slower;
  EXPECT_FALSE(hangs_on_disturbed(contrast)) << "no slice was disturbed";
  contrast.undisturbed = Contrast::Undisturbed{1.0, 0.999, 1.001, 5, stats::Verdict::same};
  EXPECT_TRUE(hangs_on_disturbed(contrast));
  contrast.undisturbed->squares = 4;
  EXPECT_FALSE(hangs_on_disturbed(contrast)) << "too few squares";
  contrast.undisturbed->squares = 5;
  contrast.undisturbed->verdict = stats::Verdict::undecided;
  EXPECT_FALSE(hangs_on_disturbed(contrast)) << "a wider interval contradicts nothing";
  contrast.undisturbed->verdict = stats::Verdict::same;
  contrast.verdict = stats::Verdict::undecided;
  EXPECT_FALSE(hangs_on_disturbed(contrast)) << "there is no verdict to contradict";
}

TEST(WhyStopped, OfReplicatesNamesEachReason) {
  using sweep::WhyStopped;
  Contrast contrast;
  contrast.why_stopped = {WhyStopped::fixed_slices};
  EXPECT_EQ(why_stopped_text(contrast), "fixed slices");
  EXPECT_TRUE(has_fixed_slices(contrast));
  EXPECT_FALSE(stopped_for(contrast, WhyStopped::interrupted));
  contrast.why_stopped.push_back(WhyStopped::time_spent);
  EXPECT_EQ(why_stopped_text(contrast), "fixed slices,time spent");
  EXPECT_FALSE(has_fixed_slices(contrast)) << "more time adds squares to some";
}

TEST(CanBeDecided, NotWhereCoresAreShared) {
  Contrast contrast;
  contrast.flags = {stats::Flag::disturbed};
  EXPECT_TRUE(can_be_decided(contrast));
  contrast.flags.add(stats::Flag::cores_shared);
  EXPECT_FALSE(can_be_decided(contrast));
}

TEST(LogEstimate, NeedsBothEndsAboveZero) {
  Contrast contrast;
  contrast.ratio = 2;
  EXPECT_FALSE(log_estimate(contrast));
  contrast.low = 0;
  contrast.high = 4;
  EXPECT_FALSE(log_estimate(contrast));
  contrast.low = 1;
  const auto estimate = log_estimate(contrast);
  ASSERT_TRUE(estimate);
  EXPECT_DOUBLE_EQ(estimate->value, std::log(2));
  EXPECT_EQ(estimate->range, (stats::Range{0, std::log(4)}));
}

}  // namespace
}  // namespace regatta::analysis
