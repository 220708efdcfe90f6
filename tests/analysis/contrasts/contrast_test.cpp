#include "regatta/analysis/contrast.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::analysis {
namespace {

TEST(VerdictText, MarksADoubtfulDifference) {
  Contrast contrast;
  contrast.verdict = stats::Verdict::faster;
  EXPECT_EQ(verdict_text(contrast), "faster");
  contrast.survives = false;
  EXPECT_EQ(verdict_text(contrast), "faster?");
}

TEST(EvidenceText, CountsProcessesOfEachArmAndSquaresInEach) {
  Contrast contrast;
  contrast.processes = 14;
  contrast.fewest_squares = contrast.most_squares = 2;
  EXPECT_EQ(evidence_text(contrast), "7 x 2");
  contrast.most_squares = 33;
  EXPECT_EQ(evidence_text(contrast), "7 x 2 to 33");
}

TEST(CanBeDecided, NotWhereCoresAreShared) {
  Contrast contrast;
  contrast.flags = {"few processes"};
  EXPECT_TRUE(can_be_decided(contrast));
  contrast.flags.emplace_back("cores_shared");
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
