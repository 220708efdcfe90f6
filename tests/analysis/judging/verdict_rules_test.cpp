#include "analysis/judging/verdict_rules.hpp"

#include <gtest/gtest.h>

namespace regatta::analysis {
namespace {

using stats::Verdict;

const stats::CloneChecks all_same = {.same = 12};

TEST(ForbidVerdict, WhereTimesSayNothingAboutTheArms) {
  for (const char* flag : {"cores_shared", "all disturbed"}) EXPECT_TRUE(forbid_verdict({"spikes", flag})) << flag;
  EXPECT_FALSE(forbid_verdict({"spikes", "disturbed", "few processes", "depends on call length"}));
  EXPECT_FALSE(forbid_verdict({}));
}

TEST(Survives, OnlyAsADiscovery) {
  EXPECT_TRUE(survives({Verdict::faster, 0.5, 0.02}, true, all_same));
  EXPECT_FALSE(survives({Verdict::faster, 0.5, 0.02}, false, all_same));
  EXPECT_FALSE(survives({Verdict::slower, 2, 0.02}, false, all_same));
}

TEST(Survives, NotWhereItIsSmallAndIdenticalCodeWasToldApart) {
  const stats::CloneChecks told_apart = {.same = 1, .undecided = 0, .wrong = 6};
  EXPECT_FALSE(survives({Verdict::slower, 1.03, 0.02}, true, told_apart));
  EXPECT_TRUE(survives({Verdict::slower, 1.03, 0.02}, true, all_same));
  EXPECT_TRUE(survives({Verdict::slower, 2, 0.02}, true, told_apart));
}

TEST(Survives, WhateverClaimsNoDifference) {
  EXPECT_TRUE(survives({Verdict::same, 1.001, 0.02}, false, all_same));
  EXPECT_TRUE(survives({Verdict::undecided, 1.03, 0.02}, false, all_same));
}

}  // namespace
}  // namespace regatta::analysis
