#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "search/search.hpp"
#include "support.hpp"

namespace regatta::search::testing {
namespace {

constexpr auto none = std::nullopt;

std::vector<std::optional<double>> falling(std::size_t count, double step) {
  std::vector<std::optional<double>> values;
  for (std::size_t i = 0; i < count; ++i) values.emplace_back(0.9 - step * static_cast<double>(i));
  return values;
}

Competition competition_of(const Problem& problem, const Score& score) {
  return compete(problem, records_of(played(problem, score)));
}

TEST(Cut, LetsOneOfTheFactorGoOnRoundedUp) {
  EXPECT_EQ(cut(rung_of(falling(9, 0.1)), 3), 3U);
  EXPECT_EQ(cut(rung_of(falling(10, 0.1)), 3), 4U);
  EXPECT_EQ(cut(rung_of(falling(44, 0.01)), 10), 5U);
}

TEST(Cut, LetsNearTiesGoOnUpToHalfAsManyAgain) {
  EXPECT_EQ(cut(rung_of(falling(30, 0.01), 0.005), 3), 10U) << "the next is beyond the noise";
  EXPECT_EQ(cut(rung_of(falling(30, 0.01), 0.0075), 3), 11U);
  EXPECT_EQ(cut(rung_of(falling(30, 0.01), 1), 3), 15U);
  EXPECT_EQ(cut(rung_of(falling(30, 0)), 3), 15U) << "exact ties need no noise";
}

TEST(Cut, LetsNobodyGoOnWithoutAScore) {
  EXPECT_EQ(cut(rung_of({0.9, 0.8, none, none, none, none}), 2), 2U);
  EXPECT_EQ(cut(rung_of({none, none}), 2), 0U);
}

TEST(Cut, LeavesTwoConfigurationsToBeCompared) {
  EXPECT_EQ(cut(rung_of(falling(5, 0.1)), 10), 2U);
  Rung cloned = rung_of(falling(5, 0.1));
  cloned.standings[1].entry.configuration = 0;
  EXPECT_EQ(cut(cloned, 10), 3U) << "a configuration and its clone are one";
  EXPECT_EQ(cut(rung_of({0.9}), 10), 1U);
}

TEST(Competition, WaitsForEveryEntryOfARung) {
  const Problem problem = problem_of(12);
  std::vector<Done> runs = played(problem, rising, 1);
  runs.pop_back();
  const Competition competition = compete(problem, records_of(runs));
  EXPECT_TRUE(competition.rungs.empty());
  EXPECT_EQ(competition.missing.size(), 1U);
  EXPECT_FALSE(competition.over);
}

TEST(Competition, GoesFromManyShortRunsToFewLongOnes) {
  const Competition competition = competition_of(problem_of(40), rising);
  ASSERT_EQ(competition.rungs.size(), 4U);
  EXPECT_TRUE(competition.over);
  EXPECT_EQ(competition.rungs[0].standings.size(), 44U);
  for (std::size_t i = 1; i < 4; ++i)
    EXPECT_EQ(competition.rungs[i].standings.size(), competition.rungs[i - 1].going_on);
  EXPECT_EQ(competition.rungs[3].standings[0].entry.configuration, 39U);
}

TEST(Competition, EndsWhereEveryRunDiverged) {
  const Competition competition = competition_of(problem_of(12), [](auto, const auto&) { return none; });
  EXPECT_TRUE(competition.over);
  EXPECT_EQ(competition.rungs.size(), 1U);
}

TEST(Competition, DecidesTiesByDrawsThatIgnoreTheOrderOfConfigurations) {
  Problem problem = problem_of(12);
  const auto names = [&] {
    const Competition competition = competition_of(problem, [](auto, const auto&) { return 0.5; });
    std::set<Hash128> going_on;
    for (const Standing& standing : competition.rungs.at(1).standings)
      going_on.insert(problem.configurations[standing.entry.configuration]);
    return going_on;
  };
  const auto before = names();
  std::ranges::reverse(problem.configurations);
  EXPECT_EQ(names(), before);
}

TEST(Stopped, AreAllThatDidNotReachTheLastRung) {
  const Problem problem = problem_of(40);
  const Competition competition = competition_of(problem, rising);
  std::set<std::size_t> all;
  for (const Stopped& each : stopped_of(problem, competition)) EXPECT_TRUE(all.insert(each.configuration).second);
  for (const Standing& standing : competition.rungs.back().standings)
    EXPECT_FALSE(all.contains(standing.entry.configuration));
  EXPECT_GE(all.size(), 36U);
}

TEST(Stopped, ByDivergingAreToldApart) {
  const Problem problem = problem_of(12);
  const Competition competition = competition_of(problem, [](std::size_t configuration, const sweep::Leg& leg) {
    return configuration == 11 ? none : std::optional(rising(configuration, leg));
  });
  const auto stopped = stopped_of(problem, competition);
  for (const Stopped& each : stopped) EXPECT_EQ(each.diverged, each.configuration == 11);
  EXPECT_EQ(std::ranges::count(stopped, std::size_t{11}, &Stopped::configuration), 1);
}

TEST(TrainedOn, AreOneInEightOfTheStoppedOnesFromWhereTheyStopped) {
  const Problem problem = problem_of(40);
  const Competition competition = competition_of(problem, rising);
  const auto stopped = stopped_of(problem, competition);
  const auto chosen = trained_on_of(problem, competition);
  EXPECT_EQ(chosen.size(), stopped.size() / 8);
  for (const TrainedOn& one : chosen) {
    EXPECT_EQ(one.rest.leg.from, sweep::end_of_rung(problem.search, one.after_rung));
    EXPECT_EQ(one.rest.leg.to, 1);
    EXPECT_EQ(one.rest.leg.rung, 3U);
  }
  EXPECT_EQ(std::ranges::count(stopped, true, &Stopped::trained_on), static_cast<std::ptrdiff_t>(chosen.size()));
}

TEST(TrainedOn, NeverComeBackIntoTheCompetition) {
  const Problem problem = problem_of(40);
  const auto late = [](std::size_t configuration, const sweep::Leg& leg) {  // stopped configurations end best
    return leg.rung == 3 && leg.from < 0.3 ? 1.0 : rising(configuration, leg);
  };
  const Competition competition = competition_of(problem, late);
  ASSERT_FALSE(trained_on_of(problem, competition).empty());
  for (const TrainedOn& one : trained_on_of(problem, competition)) {
    for (const Standing& standing : competition.rungs.back().standings)
      EXPECT_NE(standing.entry.configuration, one.standing.entry.configuration);
  }
}

TEST(TrainedOn, AreNoneWhereFewAreStoppedOrNoRungIsCut) {
  EXPECT_TRUE(trained_on_of(problem_of(6), competition_of(problem_of(6), rising)).empty());
  Problem whole = problem_of(40);
  whole.search.halves = false;
  EXPECT_TRUE(trained_on_of(whole, competition_of(whole, rising)).empty());
}

}  // namespace
}  // namespace regatta::search::testing
