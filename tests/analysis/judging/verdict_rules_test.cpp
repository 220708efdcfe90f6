#include <gtest/gtest.h>

#include "analysis/judging/judging.hpp"

namespace regatta::analysis {
namespace {

using stats::Flag;
using stats::Verdict;

TEST(ForbidVerdict, WhereTimesSayNothingAboutTheArms) {
  EXPECT_TRUE(forbid_verdict({Flag::spikes, Flag::cores_shared}));
  EXPECT_FALSE(forbid_verdict({Flag::spikes, Flag::disturbed, Flag::position, Flag::call_length}));
  EXPECT_FALSE(forbid_verdict({}));
}

TEST(AmongMany, ADifferenceIsAVerdictOnlyAsADiscovery) {
  for (const Verdict difference : {Verdict::faster, Verdict::slower}) {
    EXPECT_EQ(among_many(difference, true), difference);
    EXPECT_EQ(among_many(difference, false), Verdict::undecided);
  }
}

TEST(AmongMany, WhatClaimsNoDifferenceStays) {
  EXPECT_EQ(among_many(Verdict::same, false), Verdict::same);
  EXPECT_EQ(among_many(Verdict::undecided, false), Verdict::undecided);
}

}  // namespace
}  // namespace regatta::analysis
