#include "regatta/stats/clones.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

namespace regatta::stats {
namespace {

Judgement judged(Verdict verdict, double estimate) {
  Judgement judgement;
  judgement.verdict = verdict;
  judgement.estimate = estimate;
  return judgement;
}

TEST(AbsoluteP95, IsTheLargestOfFewValues) {
  EXPECT_EQ(absolute_p95({}), 0);
  EXPECT_EQ(absolute_p95(std::vector<double>{-0.3, 0.1, 0.2}), 0.3);
}

TEST(AbsoluteP95, LeavesOutTheLargestOfTwenty) {
  std::vector<double> values;
  for (int i = 1; i <= 20; ++i) values.push_back(i % 2 == 0 ? i : -i);
  EXPECT_EQ(absolute_p95(values), 19);
  values.push_back(21);
  EXPECT_EQ(absolute_p95(values), 20);
}

TEST(NoiseFloor, IsARelativeDifference) {
  EXPECT_NEAR(noise_floor(std::vector<double>{std::log(1.02), 0.001, -0.005}), 0.02, 1e-12);
  EXPECT_NEAR(indifference({.floor = noise_floor(std::vector<double>{-0.05})}), 0.05, 1e-12);
}

TEST(CloneChecks, CountVerdictsOnIdenticalCode) {
  const std::vector<Judgement> clones = {judged(Verdict::same, 0), judged(Verdict::same, 0),
                                         judged(Verdict::undecided, 0), judged(Verdict::slower, 0.02)};
  const auto checks = clone_checks(clones);
  EXPECT_EQ(clone_checks_text(checks), "identical-code checks: 2 same, 1 undecided, 1 false");
  EXPECT_TRUE(doubted(judged(Verdict::faster, -0.02), checks, {}));
  EXPECT_FALSE(doubted(judged(Verdict::faster, -0.2), checks, {}));
  EXPECT_FALSE(doubted(judged(Verdict::faster, -0.02), clone_checks({clones.data(), 3}), {}));
}

}  // namespace
}  // namespace regatta::stats
