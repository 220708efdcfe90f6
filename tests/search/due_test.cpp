#include "regatta/search/due.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "support.hpp"

namespace regatta::search::testing {
namespace {

using sweep::Purpose;

std::ptrdiff_t count_of(const std::vector<Due>& legs, Purpose purpose) {
  return std::ranges::count_if(legs, [&](const Due& each) { return each.leg.purpose == purpose; });
}

TEST(Due, BeginsWithTheFirstRungOfAllConfigurationsAndTheirClones) {
  const auto legs = due(problem_of(40), {});
  EXPECT_EQ(count_of(legs, Purpose::search), 40);
  EXPECT_EQ(count_of(legs, Purpose::clone), 4);
  for (const Due& each : legs) EXPECT_DOUBLE_EQ(each.leg.to, 1.0 / 27);
}

TEST(Due, BringsThoseThatAreTrainedOnBesideTheNextRung) {
  const Problem problem = problem_of(40);
  const auto legs = due(problem, played(problem, rising, 1));
  const auto to_the_end = std::ranges::count_if(legs, [](const Due& each) { return each.leg.to == 1; });
  EXPECT_EQ(to_the_end, 3) << "25 configurations are stopped after the first rung";
  EXPECT_EQ(legs.back().leg.to, 1) << "nobody waits for them";
}

TEST(Due, HasOneRungWhereNothingIsHalved) {
  Problem problem = problem_of(10);
  problem.search.halves = false;
  const auto first = due(problem, {});
  EXPECT_EQ(first.size(), 13U);
  for (const Due& each : first) EXPECT_EQ(each.leg.to - each.leg.from, 1);
  const auto then = due(problem, played(problem, rising, 1));
  EXPECT_EQ(count_of(then, Purpose::fresh), std::ssize(then));
  EXPECT_GT(std::ssize(then), 0);
}

TEST(Due, OpensTheTestPartLastAndOnce) {
  const Problem problem = problem_of(12);
  const auto runs = played(problem, rising);
  const auto is_test = [](const Done& run) { return run.leg.purpose == Purpose::test; };
  const auto first = std::ranges::find_if(runs, is_test);
  ASSERT_NE(first, runs.end());
  EXPECT_TRUE(std::all_of(first, runs.end(), is_test));
  EXPECT_EQ(std::distance(first, runs.end()),
            std::ranges::count_if(runs, [](const Done& run) { return run.leg.purpose == Purpose::fresh; }));
}

TEST(Due, IsOverAtOnceWithoutConfigurations) { EXPECT_TRUE(due(problem_of(0), {}).empty()); }

TEST(Due, TrainsOneConfigurationUnderAllItsSeeds) {
  const auto runs = played(problem_of(1), rising);
  EXPECT_EQ(runs.size(), 2 * 4 + 2 * 12U) << "four rungs beside its clone, then fresh runs and their tests";
}

TEST(Due, IsOverOnceEveryRunDiverged) {
  const auto runs = played(problem_of(12), [](auto, const auto&) { return std::nullopt; });
  EXPECT_EQ(runs.size(), 15U);
}

TEST(Due, LooksForTheLeastWhereLessIsBetter) {
  Problem problem = problem_of(40);
  problem.objective.maximizes = false;
  std::set<std::size_t> finalists;
  for (const Done& run : played(problem, rising)) {
    if (run.leg.purpose == Purpose::fresh) finalists.insert(run.configuration);
  }
  EXPECT_TRUE(finalists.contains(0));
  EXPECT_FALSE(finalists.contains(39));
}

}  // namespace
}  // namespace regatta::search::testing
