// Searches of any shape, on scores made up of hashes. A failure prints its seed.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <random>
#include <sstream>
#include <string>

#include "regatta/base/random.hpp"
#include "regatta/search/verdict.hpp"
#include "support.hpp"

namespace regatta::search::testing {
namespace {

using Random = std::mt19937_64;
using sweep::Purpose;

struct Scenario {
  Problem problem;
  Score score;
};

Scenario scenario_of(std::uint64_t seed) {
  Random random(seed);
  const auto below = [&](std::uint64_t bound) { return static_cast<std::int64_t>(random() % bound); };
  Problem problem = problem_of(static_cast<std::size_t>(below(46)));
  problem.search = {.halves = below(5) > 0,
                    .rungs = 1 + below(5),
                    .factor = 2 + static_cast<double>(below(17)) / 2,
                    .at_most = 1 + below(9)};
  problem.objective.maximizes = below(2) == 0;
  problem.seeds = 1 + below(12);
  const double divergence = std::vector{0.0, 0.1, 0.6, 1.0}[static_cast<std::size_t>(below(4))];
  const double lattice = below(2) == 0 ? 20 : 1000;  // ties are many, or few
  const auto score = [=](std::size_t configuration, const sweep::Leg& leg) -> std::optional<double> {
    const auto unit = [&](std::uint64_t counter) {
      const std::uint64_t run = configuration * 10000 + static_cast<std::uint64_t>(leg.seed);
      return static_cast<double>(random_unit(seed * 1000003 + run, counter));
    };
    if (unit(0) < divergence) return std::nullopt;
    const double end = 0.4 + 0.01 * static_cast<double>(configuration) + 0.1 * unit(1);
    return std::round(end * lattice * (1 - 0.5 * std::exp(-5 * leg.to))) / lattice;
  };
  return {std::move(problem), score};
}

void append(std::ostream& text, const Figure& figure) {
  for (const SeedValue& each : figure.by_seed) text << ' ' << each.seed << ':' << each.value;
  text << " mean " << figure.mean.value << " [" << figure.mean.range.low << ", " << figure.mean.range.high << "]";
}

std::string text_of(const Verdict& verdict) {
  std::ostringstream text;
  text.precision(17);
  for (const Finalist& each : verdict.finalists) {
    text << each.configuration << (each.in_set ? " in " : " out ") << each.searched << " behind " << each.behind.value;
    append(text, each.fresh);
    append(text, each.test);
    text << '\n';
  }
  if (verdict.leader) text << "leader " << *verdict.leader << " optimism " << *verdict.optimism << '\n';
  for (const Stopped& each : verdict.stopped)
    text << each.configuration << " stopped " << each.after_rung << each.diverged << each.trained_on
         << each.would_be_in_set << each.end_score.value_or(-1) << '\n';
  for (const Noise& each : verdict.noise) text << each.spread << " of " << each.pairs << '\n';
  const Cost& cost = verdict.cost;
  text << cost.search << ' ' << cost.clones << ' ' << cost.trained_on << ' ' << cost.fresh << ' ' << cost.everything;
  for (const Warning each : verdict.warnings) text << " warning " << static_cast<int>(each);
  return text.str();
}

/// Some of what is due is recorded in any order, as by many ranks that are interrupted.
std::vector<Done> played_in_any_order(const Scenario& scenario, Random& random) {
  std::vector<Done> runs;
  for (std::vector<Due> legs = due(scenario.problem, runs); !legs.empty(); legs = due(scenario.problem, runs)) {
    std::ranges::shuffle(legs, random);
    legs.resize(1 + random() % legs.size());
    for (const Due& leg : legs) runs.push_back(run_of(leg, scenario.score));
    std::ranges::shuffle(runs, random);
  }
  return runs;
}

constexpr std::uint64_t scenarios = 150;

TEST(Properties, AnyOrderAndAnyInterruptionEndInTheSameTable) {
  for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = scenario_of(seed);
    const std::string expected = text_of(verdict(scenario.problem, played(scenario.problem, scenario.score)));
    Random random(seed);
    const auto runs = played_in_any_order(scenario, random);
    ASSERT_EQ(text_of(verdict(scenario.problem, runs)), expected);
  }
}

TEST(Properties, AnyPrefixGoesOnToTheSameTable) {
  for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = scenario_of(seed);
    std::vector<Done> runs = played(scenario.problem, scenario.score);
    const std::string expected = text_of(verdict(scenario.problem, runs));
    runs.resize(runs.empty() ? 0 : mixed(seed) % runs.size());
    for (std::vector<Due> legs = due(scenario.problem, runs); !legs.empty(); legs = due(scenario.problem, runs))
      for (const Due& leg : legs) runs.push_back(run_of(leg, scenario.score));
    ASSERT_EQ(text_of(verdict(scenario.problem, runs)), expected);
  }
}

TEST(Properties, LegsAreNoMoreThanTheRulesAllow) {
  for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = scenario_of(seed);
    const Problem& problem = scenario.problem;
    const double entries = static_cast<double>(problem.configurations.size()) * 1.1 + 3;
    double most = entries;  // in the rung
    double bound = 0;
    for (std::int64_t rung = 0; rung < (problem.search.halves ? problem.search.rungs : 1); ++rung) {
      bound += most;
      most = std::max(2.0, std::ceil(most / problem.search.factor)) * 1.5;
    }
    bound += static_cast<double>(problem.configurations.size()) / 8;
    bound += 2 * static_cast<double>(problem.search.at_most * problem.seeds);
    ASSERT_LE(static_cast<double>(played(problem, scenario.score).size()), bound);
  }
}

TEST(Properties, TestFiguresAreReadByNobodyWhoDecides) {
  for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = scenario_of(seed);
    std::vector<Done> runs = played(scenario.problem, scenario.score);
    const Verdict before = verdict(scenario.problem, runs);
    for (Done& run : runs) run.test = static_cast<double>(random_unit(seed, run.configuration));
    EXPECT_TRUE(due(scenario.problem, runs).empty());
    const Verdict after = verdict(scenario.problem, runs);
    ASSERT_EQ(after.leader, before.leader);
    for (std::size_t i = 0; i < before.finalists.size(); ++i) {
      ASSERT_EQ(after.finalists[i].configuration, before.finalists[i].configuration);
      ASSERT_EQ(after.finalists[i].in_set, before.finalists[i].in_set);
    }
  }
}

TEST(Properties, NoTestIsDueWhileAFreshRunIsMissing) {
  for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = scenario_of(seed);
    Random random(seed);
    std::vector<Done> runs = played_in_any_order(scenario, random);
    std::erase_if(runs, [](const Done& run) { return run.leg.purpose == Purpose::test; });
    const auto fresh = std::ranges::find(runs, Purpose::fresh, [](const Done& run) { return run.leg.purpose; });
    if (fresh == runs.end()) continue;
    runs.erase(fresh);
    for (const Due& each : due(scenario.problem, runs)) ASSERT_EQ(each.leg.purpose, Purpose::fresh);
  }
}

TEST(Properties, TheOrderOfConfigurationsChangesNothing) {
  for (std::uint64_t seed = 0; seed < scenarios; ++seed) {
    SCOPED_TRACE(seed);
    const Scenario scenario = scenario_of(seed);
    const std::size_t count = scenario.problem.configurations.size();
    Scenario turned = scenario;
    std::ranges::reverse(turned.problem.configurations);
    turned.score = [&](std::size_t configuration, const sweep::Leg& leg) {
      return scenario.score(count - 1 - configuration, leg);
    };
    const Verdict before = verdict(scenario.problem, played(scenario.problem, scenario.score));
    const Verdict after = verdict(turned.problem, played(turned.problem, turned.score));
    ASSERT_EQ(after.finalists.size(), before.finalists.size());
    for (std::size_t i = 0; i < before.finalists.size(); ++i)
      ASSERT_EQ(count - 1 - after.finalists[i].configuration, before.finalists[i].configuration);
  }
}

TEST(Properties, RunsThatNobodyAskedForChangeNothing) {
  const Scenario scenario = scenario_of(3);
  std::vector<Done> runs = played(scenario.problem, scenario.score);
  const std::string expected = text_of(verdict(scenario.problem, runs));
  runs.push_back({.configuration = 0, .leg = {.purpose = Purpose::plain, .seed = 5}, .score = 9, .test = 9});
  EXPECT_EQ(text_of(verdict(scenario.problem, runs)), expected);
}

}  // namespace
}  // namespace regatta::search::testing
