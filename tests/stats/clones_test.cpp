#include "regatta/stats/clones.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <vector>

#include "regatta/stats/rules.hpp"

namespace regatta::stats {
namespace {

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
  EXPECT_NEAR(noise_floor(std::vector<double>{-0.05}), std::expm1(0.05), 1e-12);
}

TEST(CloneChecks, CountVerdictsOnIdenticalCode) {
  CloneChecks checks;
  for (const Verdict verdict : {Verdict::same, Verdict::same, Verdict::undecided, Verdict::faster, Verdict::slower})
    checks.add(verdict);
  EXPECT_EQ(checks.same, 2);
  EXPECT_EQ(checks.undecided, 1);
  EXPECT_EQ(checks.wrong, 2);
  EXPECT_EQ(checks.total(), 5);
}

}  // namespace
}  // namespace regatta::stats
