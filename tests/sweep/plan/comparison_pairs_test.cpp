#include <gtest/gtest.h>

#include "sweep/plan/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

const std::string four_arms = R"("axes": {"engine": ["native", "torch"], "mode": ["eager", "graph"], "model": "mlp-10"},
  "compare": {"over": ["engine", "mode"], )";

TEST(Pairs, AllAreComparedEachOnce) {
  EXPECT_EQ(blocks_of(plan_with(four_arms + R"("pairs": "all"})")), "*0 1 2 3 | *1 2 3 | *2 3");
}

TEST(Pairs, TheBaselineIsWhatOthersAreComparedWith) {
  EXPECT_EQ(blocks_of(plan_with(four_arms + R"("pairs": "all", "baseline": {"engine": "torch", "mode": "graph"}})")),
            "*0 1 2 | *1 2 | *3 0 1 2");
}

TEST(Pairs, OfOneFactorDifferInOneParameter) {
  // native eager 0, native graph 1, torch eager 2, torch graph 3.
  EXPECT_EQ(blocks_of(plan_with(four_arms + R"("pairs": "one-factor"})")), "*0 1 2 | *1 3 | *2 3");
}

TEST(Pairs, WhatOneOfTwoDoesNotReadIsNoDifference) {
  // numpy, 2, has one mode: it is one factor away from native eager and from native graph.
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "numpy"], "mode": ["eager", "graph"], "model": "mlp-10"},
    "compare": {"over": ["engine", "mode"], "pairs": "one-factor"})");
  EXPECT_EQ(blocks_of(plan), "*0 1 2 | *1 2");
}

TEST(Pairs, OfSeveralGroupsStandOnce) {
  // Neither reads mode: the groups eager and graph hold the same two arms.
  const Plan plan = plan_with(R"("axes": {"engine": ["numpy", "command"], "command": "c", "mode": ["eager", "graph"],
    "model": "mlp-10"}, "commands": {"c": {"argv": ["true"]}}, "compare": {"over": "engine", "pairs": "all"})");
  EXPECT_EQ(blocks_of(plan), "*0 1");
}

TEST(Pairs, AnArmWithoutAPairIsMeasuredAlone) {
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "numpy"], "model": ["mlp-10", "noop"]},
    "compare": {"over": "engine", "pairs": "all"})");
  EXPECT_EQ(blocks_of(plan), "*0 2 | 1");
  ASSERT_EQ(plan.no_contrasts.size(), 1U);
  EXPECT_EQ(plan.no_contrasts[0].reason,
            "nothing to compare with here: every other arm is skipped, excluded or merged with it");
  EXPECT_EQ(why_unpaired(Pairs::one_factor), "no other arm here differs from it in one parameter only");
}

TEST(Pairs, AreCountedBeforeTheyAreMade) {
  EXPECT_EQ(error_with(R"("axes": {"model": "mlp-10", "batch": {"linear": [1, 5000]}},
"compare": {"over": "batch", "pairs": "all"})"),
            "s.json:3: /compare/pairs: found more than 1000000 pairs of arms, expected at most that many "
            "(\"baseline\" compares each arm once)");
}

}  // namespace
}  // namespace regatta::sweep
