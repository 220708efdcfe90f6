// The forecast before anything is measured, against the shipped loop.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>
#include <vector>

#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/sweep/block_costs.hpp"

namespace regatta::measuring {
namespace {

using measure::SimulatedArm;
using measure::SimulatedArms;

struct Taken {
  std::int64_t pairs = 0;
  double seconds = 0;
};

Taken taken(std::size_t count, double start_seconds, double per_contrast_seconds, double total_seconds,
            std::size_t places) {
  SimulatedArms arms(std::vector<SimulatedArm>(count, {.start_seconds = start_seconds}));
  arms.places = places;
  arms.whole_slices = true;
  arms.constant_clock = true;
  arms.noise = measure::undecidable;
  sweep::BlockTask task = measure::comparison(count, per_contrast_seconds * static_cast<double>(count - 1));
  task.wall_seconds = total_seconds;
  measure::BlockBudget budget;
  measure::run_block(arms, task, budget);
  return {static_cast<std::int64_t>(arms.count(measure::Verb::renew, 0)) + 1, arms.now()};
}

sweep::BlockForecast foretold(std::size_t count, double start_seconds, double per_contrast_seconds,
                              double total_seconds, std::size_t places) {
  sweep::Sweep sweep;
  sweep.measure.per_contrast_seconds = per_contrast_seconds;
  sweep::Plan plan;
  plan.trials.resize(count);
  sweep::Block block;
  block.has_baseline = true;
  for (std::size_t i = 0; i < count; ++i) {
    plan.trials[i].parameters[sweep::Param::engine] = std::string("torch");
    block.arms.push_back(TrialIndex{static_cast<std::uint32_t>(i)});
  }
  const sweep::Starts starts{
      std::vector<std::optional<sweep::StartTimes>>(count, sweep::StartTimes{start_seconds / 2, start_seconds / 2, 0}),
      places + 1};
  return sweep::forecast_of(sweep.measure, *sweep::costs_of(sweep, plan, block, starts), count, total_seconds);
}

void expect_as_the_loop(std::size_t arms, double start_seconds, double total_seconds, std::size_t places) {
  constexpr double per_contrast_seconds = 5;
  const Taken loop = taken(arms, start_seconds, per_contrast_seconds, total_seconds, places);
  const auto forecast = foretold(arms, start_seconds, per_contrast_seconds, total_seconds, places);
  const std::string which = std::to_string(arms) + " arms, starts of " + std::to_string(start_seconds) +
                            " s, a total of " + std::to_string(total_seconds) + " s, places for " +
                            std::to_string(places) + " beside";
  const auto pairs = static_cast<double>(loop.pairs);
  // Slices follow the step times that were scored, and processes of this noise differ by a third.
  EXPECT_NEAR(static_cast<double>(forecast.pairs), pairs, std::max(1.0, 0.25 * pairs)) << which;
  EXPECT_NEAR(forecast.seconds, loop.seconds, 0.15 * loop.seconds) << which;
}

TEST(ForetoldPairs, AreThoseOfTheLoop) {
  for (const std::size_t arms : {2, 6}) {
    for (const double start_seconds : {0.1, 1.0, 5.0}) {
      for (const double total_seconds : {60.0, 180.0, 600.0}) {
        for (const std::size_t places : {0, 1}) expect_as_the_loop(arms, start_seconds, total_seconds, places);
      }
    }
  }
}

}  // namespace
}  // namespace regatta::measuring
