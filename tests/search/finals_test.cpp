#include "search/finals.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "search/search.hpp"
#include "support.hpp"

namespace regatta::search::testing {
namespace {

/// A search that is over, its last rung being this one.
Competition ended(const Rung& rung) {
  Competition competition{.rungs = {rung}, .missing = {}, .over = true};
  competition.rungs[0].going_on = rung.standings.size();
  return competition;
}

TEST(Contenders, WithACloneAreOneAndHaveTheMeanOfBoth) {
  Rung rung = rung_of({0.9, 0.8, 0.7});
  rung.standings[2].entry = {.configuration = 0, .purpose = sweep::Purpose::clone, .seed = sweep::clone_seed};
  const auto contenders = contenders_of(problem_of(3), ended(rung));
  ASSERT_EQ(contenders.size(), 2U);
  const auto& doubled = contenders[contenders[0].configuration == 0 ? 0 : 1];
  EXPECT_NEAR(doubled.goodness, 0.8, 1e-12);
  EXPECT_EQ(doubled.runs, 2U);
}

TEST(Contenders, AreNoneBeforeTheLastRungIsComplete) {
  Competition competition = ended(rung_of({0.9}));
  competition.over = false;
  EXPECT_TRUE(contenders_of(problem_of(1), competition).empty());
}

TEST(ShownWorse, NeedsMoreThanTheMarginBeyondTheNoise) {
  const Contender best{.configuration = 0, .goodness = 0.9, .runs = 1};
  const Contender other{.configuration = 1, .goodness = 0.8, .runs = 1};
  EXPECT_TRUE(shown_worse(best, other, 2, {.spread = 0.01, .pairs = 3}, 0.01));
  EXPECT_FALSE(shown_worse(best, other, 2, {.spread = 0.01, .pairs = 3}, 0.1)) << "inside the margin";
  EXPECT_FALSE(shown_worse(best, other, 2, {.spread = 0.03, .pairs = 3}, 0.01)) << "inside the noise";
  EXPECT_FALSE(shown_worse(best, other, 40, {.spread = 0.01, .pairs = 3}, 0.01)) << "one of many";
  EXPECT_FALSE(shown_worse(best, other, 2, {.spread = 0.01, .pairs = 1}, 0.01)) << "a single clone tells little";
  EXPECT_FALSE(shown_worse(best, other, 2, {}, 0.01)) << "no clone tells nothing";
}

TEST(Finalists, AreAtMostSoManyTheBestFirst) {
  Problem problem = problem_of(12);
  const Competition competition = ended(rung_of({0.90, 0.91, 0.92, 0.93}, 0.05));
  problem.search.at_most = 2;
  const auto finalists = finalists_of(problem, competition);
  ASSERT_EQ(finalists.size(), 2U);
  EXPECT_EQ(finalists[0].configuration, 3U);
  EXPECT_EQ(finalists[1].configuration, 2U);
  problem.search.at_most = 1;
  EXPECT_EQ(finalists_of(problem, competition).size(), 1U);
  EXPECT_EQ(near_the_best(problem, competition).size(), 4U);
}

TEST(Finalists, LeaveOutWhoIsShownWorse) {
  EXPECT_EQ(finalists_of(problem_of(3), ended(rung_of({0.9, 0.895, 0.5}, 0.005))).size(), 2U);
}

TEST(FinalsDue, AreFreshRunsUnderSeedsThatChoseNothing) {
  const std::vector<Contender> finalists = {{4, 0.9, 1}, {2, 0.9, 1}};
  const auto legs = finals_due(problem_of(12), {}, finalists);
  ASSERT_EQ(legs.size(), 24U);
  for (const Due& each : legs) {
    EXPECT_EQ(each.leg.purpose, sweep::Purpose::fresh);
    EXPECT_GE(each.leg.seed, sweep::first_fresh_seed);
    EXPECT_EQ(each.leg.to - each.leg.from, 1);
  }
}

TEST(FinalsDue, OpenNoTestBeforeTheLastFreshRunAndNoneOfARunThatDiverged) {
  const std::vector<Contender> finalists = {{4, 0.9, 1}, {2, 0.9, 1}};
  std::vector<Done> runs;
  for (const Due& leg : finals_due(problem_of(12), {}, finalists)) {
    for (const Due& each : finals_due(problem_of(12), records_of(runs), finalists))
      EXPECT_EQ(each.leg.purpose, sweep::Purpose::fresh);
    runs.push_back(run_of(leg, [](std::size_t configuration, const sweep::Leg& at) {
      return configuration == 2 && at.seed == 1003 ? std::nullopt : std::optional(0.9);
    }));
  }
  const auto tests = finals_due(problem_of(12), records_of(runs), finalists);
  EXPECT_EQ(tests.size(), 23U);
  EXPECT_EQ(std::ranges::count(tests, test_leg(2, 1003)), 0);
  EXPECT_EQ(std::ranges::count(tests, test_leg(4, 1003)), 1);
}

}  // namespace
}  // namespace regatta::search::testing
