#include "regatta/search/verdict.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support.hpp"

namespace regatta::search::testing {
namespace {

using sweep::Purpose;

bool warns(const Verdict& verdict, Warning warning) { return std::ranges::count(verdict.warnings, warning) > 0; }

const Finalist* finalist(const Verdict& verdict, std::size_t configuration) {
  const auto found = std::ranges::find(verdict.finalists, configuration, &Finalist::configuration);
  return found == verdict.finalists.end() ? nullptr : &*found;
}

Verdict verdict_of(const Problem& problem, const Score& score) { return verdict(problem, played(problem, score)); }

/// Two are close, the others far behind; the search is luckier than fresh seeds, and tests tell the opposite.
double two_close(std::size_t configuration, const sweep::Leg& leg) {
  const double luck = 0.001 * static_cast<double>((leg.seed * 5 + static_cast<std::int64_t>(configuration)) % 4);
  const double quality = configuration < 2 ? 0.90 + 0.004 * static_cast<double>(configuration) : 0.6;
  if (leg.purpose == Purpose::test) return 1 - quality;
  return quality + luck + (leg.purpose == Purpose::fresh ? 0 : 0.02);
}

TEST(Verdict, NamesTheSetItsLeaderAndWhatToBelieve) {
  const Verdict found = verdict_of(problem_of(20), two_close);
  EXPECT_TRUE(found.over);
  EXPECT_TRUE(found.warnings.empty());
  ASSERT_EQ(found.leader, 1U);
  EXPECT_NEAR(*found.optimism, 0.02, 0.002);
  ASSERT_NE(finalist(found, 0), nullptr);
  EXPECT_TRUE(finalist(found, 0)->in_set);
  EXPECT_NEAR(finalist(found, 0)->behind.value, 0.004, 0.002);
  EXPECT_EQ(found.finalists[0].configuration, 1U);
  EXPECT_EQ(found.finalists[0].behind.value, 0);
  EXPECT_EQ(found.finalists[0].fresh.by_seed.size(), 12U);
  EXPECT_EQ(found.finalists[0].fresh.by_seed[0].seed, sweep::first_fresh_seed);
  EXPECT_NEAR(found.finalists[0].fresh.mean.value, 0.9055, 0.002);
  EXPECT_TRUE(found.finalists[0].fresh.mean.range.finite());
}

TEST(Verdict, PrintsTestsAndLetsThemDecideNothing) {
  const Verdict found = verdict_of(problem_of(20), two_close);
  EXPECT_EQ(found.leader, 1U) << "though its test is worse";
  EXPECT_NEAR(found.finalists[0].test.mean.value, 0.096, 1e-9);
  EXPECT_EQ(finalist(found, 0)->test.by_seed.size(), 12U);
}

TEST(Verdict, IsTheSameWhereLessIsBetter) {
  Problem problem = problem_of(20);
  const Verdict most = verdict_of(problem, two_close);
  problem.objective.maximizes = false;
  const Verdict least = verdict_of(
      problem, [](std::size_t configuration, const sweep::Leg& leg) { return 1 - two_close(configuration, leg); });
  EXPECT_EQ(least.leader, most.leader);
  EXPECT_NEAR(*least.optimism, *most.optimism, 1e-12);
  ASSERT_EQ(least.finalists.size(), most.finalists.size());
  for (std::size_t i = 0; i < most.finalists.size(); ++i) {
    EXPECT_EQ(least.finalists[i].configuration, most.finalists[i].configuration);
    EXPECT_NEAR(least.finalists[i].fresh.mean.value, 1 - most.finalists[i].fresh.mean.value, 1e-12);
    EXPECT_NEAR(least.finalists[i].behind.value, most.finalists[i].behind.value, 1e-12);
    EXPECT_EQ(least.finalists[i].in_set, most.finalists[i].in_set);
  }
}

TEST(Verdict, DecidesNothingBeforeAllFreshRunsAreThere) {
  const Problem problem = problem_of(20);
  std::vector<Done> runs = played(problem, two_close);
  std::erase_if(runs, [](const Done& run) { return run.leg.purpose == Purpose::test; });
  runs.pop_back();
  const Verdict found = verdict(problem, runs);
  EXPECT_FALSE(found.over);
  EXPECT_FALSE(found.leader);
  EXPECT_FALSE(found.finalists.empty());
  EXPECT_TRUE(warns(found, Warning::unfinished));
}

TEST(Verdict, LeavesNobodyOutBelowSevenSeedsAndSaysSo) {
  Problem problem = problem_of(20);
  const auto late_loser = [](std::size_t configuration, const sweep::Leg& leg) {
    return leg.purpose == Purpose::fresh && configuration == 0 ? 0.3 : two_close(configuration, leg);
  };
  EXPECT_FALSE(finalist(verdict_of(problem, late_loser), 0)->in_set);
  problem.seeds = 6;
  const Verdict found = verdict_of(problem, late_loser);
  EXPECT_TRUE(finalist(found, 0)->in_set);
  EXPECT_EQ(finalist(found, 0)->pairs, 6U);
  EXPECT_TRUE(warns(found, Warning::few_seeds));
}

TEST(Verdict, SaysWhereNoCloneTellsTheNoise) {
  const Verdict found = verdict_of(problem_of(20), [](std::size_t configuration, const sweep::Leg& leg) {
    return leg.purpose == Purpose::clone ? std::nullopt : std::optional(two_close(configuration, leg));
  });
  EXPECT_TRUE(warns(found, Warning::no_noise));
  EXPECT_EQ(found.noise.back().pairs, 0U);
}

TEST(Verdict, SaysWhereEveryRunDivergedOrSomeDo) {
  const Verdict none = verdict_of(problem_of(12), [](auto, const auto&) { return std::nullopt; });
  EXPECT_TRUE(none.over);
  EXPECT_TRUE(none.finalists.empty());
  EXPECT_FALSE(none.leader);
  EXPECT_TRUE(warns(none, Warning::all_diverged));
  const Verdict some = verdict_of(problem_of(20), [](std::size_t configuration, const sweep::Leg& leg) {
    return leg.seed == 1002 && configuration == 1 ? std::nullopt : std::optional(two_close(configuration, leg));
  });
  EXPECT_TRUE(warns(some, Warning::unstable));
  EXPECT_EQ(finalist(some, 1)->diverged, 1U);
  EXPECT_EQ(finalist(some, 1)->test.by_seed.size(), 11U);
}

TEST(Verdict, CountsWhatWasTrainedForWhat) {
  const Problem problem = problem_of(40);
  const auto runs = played(problem, rising);
  const Verdict found = verdict(problem, runs);
  double trained = 0;
  for (const Done& run : runs) trained += run.leg.to - run.leg.from;
  EXPECT_NEAR(found.cost.search + found.cost.clones + found.cost.trained_on + found.cost.fresh, trained, 1e-9);
  EXPECT_EQ(found.cost.everything, 480);
  EXPECT_NEAR(found.cost.fresh, 12.0 * static_cast<double>(found.finalists.size()), 1e-9);
  EXPECT_GT(found.cost.trained_on, 0);
  EXPECT_GE(found.cost.clones, 4.0 / 27);
}

TEST(Verdict, CountsOfARunThatEndedEarlyWhatItTrained) {
  const Problem problem = problem_of(40);
  auto runs = played(problem, rising);
  for (Done& run : runs) run.trained = run.leg.purpose == Purpose::fresh ? 0.25 : run.leg.to - run.leg.from;
  const Verdict whole = verdict(problem, played(problem, rising));
  const Verdict found = verdict(problem, runs);
  EXPECT_NEAR(found.cost.fresh, 3.0 * static_cast<double>(found.finalists.size()), 1e-9);
  EXPECT_EQ(found.cost.search, whole.cost.search);
}

TEST(Verdict, CountsWhoIsLeftOutForWantOfPlaces) {
  Problem problem = problem_of(20);
  problem.search.at_most = 1;
  const Verdict found = verdict_of(problem, two_close);
  EXPECT_EQ(found.finalists.size(), 1U);
  EXPECT_EQ(found.left_out, 1U);
  EXPECT_EQ(verdict_of(problem_of(20), two_close).left_out, 0U);
}

TEST(Verdict, TellsWhichStoppedOnesWouldHaveBelonged) {
  const Problem problem = problem_of(40);
  const auto trained_on = [](const Stopped& each) { return each.trained_on; };
  const Verdict rightly = verdict_of(problem, rising);
  EXPECT_EQ(std::ranges::count_if(rightly.stopped, trained_on), std::ssize(rightly.stopped) / 8);
  EXPECT_EQ(std::ranges::count(rightly.stopped, true, &Stopped::would_be_in_set), 0);
  const Verdict wrongly = verdict_of(problem, [](std::size_t configuration, const sweep::Leg& leg) {
    return leg.rung == 3 && leg.from < 0.3 ? 2.0 : rising(configuration, leg);
  });
  for (const Stopped& each : wrongly.stopped) {
    EXPECT_EQ(each.would_be_in_set, each.trained_on);
    EXPECT_EQ(each.end_score.has_value(), each.trained_on);
  }
}

TEST(Verdict, OfNothingIsOver) {
  const Verdict found = verdict(problem_of(0), {});
  EXPECT_TRUE(found.over);
  EXPECT_TRUE(found.warnings.empty());
}

TEST(Verdict, OfFewConfigurationsComparesThem) {
  for (const std::size_t count : {1U, 2U}) {
    const Verdict found = verdict_of(problem_of(count), two_close);
    EXPECT_EQ(found.finalists.size(), count);
    EXPECT_EQ(found.leader, count - 1);
    EXPECT_TRUE(found.warnings.empty());
  }
}

TEST(Warnings, HaveNamesInTheirOrder) {
  for (std::size_t i = 0; i < warning_names.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(warning_names[i].first), i);
}

}  // namespace
}  // namespace regatta::search::testing
