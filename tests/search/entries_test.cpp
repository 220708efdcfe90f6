#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/search.hpp"
#include "support.hpp"

namespace regatta::search::testing {
namespace {

std::set<Hash128> cloned(const Problem& problem) {
  std::set<Hash128> hashes;
  for (const Entry& entry : entries_of(problem)) {
    if (entry.purpose == sweep::Purpose::clone) hashes.insert(problem.configurations[entry.configuration]);
  }
  return hashes;
}

TEST(Entries, OneConfigurationInTenIsEnteredTwiceAndAtLeastThreeAre) {
  EXPECT_EQ(clones_of(0), 0U);
  EXPECT_EQ(clones_of(1), 1U);
  EXPECT_EQ(clones_of(2), 2U);
  EXPECT_EQ(clones_of(30), 3U);
  EXPECT_EQ(clones_of(31), 4U);
  EXPECT_EQ(clones_of(400), 40U);
}

TEST(Entries, OriginalsShareTheSearchSeedAndClonesHaveTheirOwn) {
  const auto entries = entries_of(problem_of(40));
  ASSERT_EQ(entries.size(), 44U);
  for (const Entry& entry : entries) {
    const bool is_clone = entry.purpose == sweep::Purpose::clone;
    EXPECT_EQ(entry.seed, is_clone ? sweep::clone_seed : sweep::search_seed);
  }
}

TEST(Entries, WhoIsClonedDoesNotHangOnTheOrderOfConfigurations) {
  Problem problem = problem_of(40);
  const auto before = cloned(problem);
  EXPECT_EQ(before.size(), 4U);
  std::ranges::reverse(problem.configurations);
  EXPECT_EQ(cloned(problem), before);
}

TEST(Entries, DrawsDifferByPurposeAndByConfiguration) {
  const Problem problem = problem_of(2);
  EXPECT_NE(drawn(problem, 0, Draw::clone), drawn(problem, 0, Draw::tie));
  EXPECT_NE(drawn(problem, 0, Draw::clone), drawn(problem, 1, Draw::clone));
}

TEST(Entries, LegsFollowOnEachOtherUpToTheHorizon) {
  const Problem problem = problem_of(1);
  const Entry entry = entries_of(problem).front();
  EXPECT_EQ(leg_of(problem, entry, 0).leg.from, 0);
  for (std::uint32_t rung = 1; rung <= last_rung(problem.search); ++rung)
    EXPECT_EQ(leg_of(problem, entry, rung).leg.from, leg_of(problem, entry, rung - 1).leg.to);
  EXPECT_EQ(leg_of(problem, entry, 3).leg.to, 1);
}

TEST(Entries, ASearchThatHalvesNothingHasOneRung) {
  Problem problem = problem_of(1);
  problem.search.halves = false;
  EXPECT_EQ(last_rung(problem.search), 0U);
  EXPECT_EQ(leg_of(problem, entries_of(problem).front(), 0).leg.to, 1);
}

}  // namespace
}  // namespace regatta::search::testing
