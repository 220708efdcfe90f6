// T11: intervals of when a slower start has paid back hold the planted number of steps, through the shipped loop.
#include <gtest/gtest.h>

#include <array>
#include <cmath>

#include "measure/simulated_arms.hpp"
#include "measuring/replay_random.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/stats/cold_starts.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::measuring {
namespace {

using measure::SimulatedArm;
using measure::SimulatedArms;
using measure::SimulatedSlice;
using stats::Range;

constexpr int contrasts = 200;
constexpr int least_covered = 186;  // 93 %
constexpr double seconds_each = 5;

/// Arm 0 is the baseline; arm 1 starts later and saves time in every step. Spreads are logs.
struct Planted {
  std::array<SimulatedArm, 2> arms;
  double start_spread = 0.05;
  double process_spread = 0.01;  ///< effect of a process on all its steps
  double slice_spread = 0.01;
  double outliers = 0;     ///< share of starts that take three times as long
  double first_start = 1;  ///< factor of the first process of each arm: nothing was cached
  double stalls = 0;       ///< share of slices that take half as long again

  [[nodiscard]] double steps() const {
    const double cost = arms[1].start_seconds + arms[1].step_seconds - arms[0].start_seconds - arms[0].step_seconds;
    return cost / (arms[0].step_seconds - arms[1].step_seconds);
  }
};

/// Draws by place, not by turn: what is drawn hangs on no decision of the loop.
double normal_at(std::uint64_t seed, std::uint64_t kind, std::uint32_t arm, std::uint64_t number) {
  return Random(((seed * 8 + kind) * 2 + arm) * 0x10001 + number).normal();
}

double uniform_at(std::uint64_t seed, std::uint64_t kind, std::uint32_t arm, std::uint64_t number) {
  return Random(((seed * 8 + kind) * 2 + arm) * 0x10001 + number).uniform();
}

std::vector<stats::Sample> measured(const Planted& planted, std::uint64_t seed) {
  SimulatedArms port({planted.arms[0], planted.arms[1]});
  port.whole_slices = true;
  port.start_factor = [&](std::uint32_t arm, std::uint32_t process) {
    const double outlier = uniform_at(seed, 0, arm, process) < planted.outliers ? 3 : 1;
    return std::exp(planted.start_spread * normal_at(seed, 1, arm, process)) * outlier *
           (process == 0 ? planted.first_start : 1);
  };
  port.noise = [&](const SimulatedSlice& slice) {
    measure::Disturbed disturbed;
    if (slice.phase != stats::Phase::steady) return disturbed;
    disturbed.log_time = planted.process_spread * normal_at(seed, 2, slice.arm, slice.process) +
                         planted.slice_spread * normal_at(seed, 3, slice.arm, slice.number);
    if (uniform_at(seed, 4, slice.arm, slice.number) < planted.stalls) disturbed.log_time += std::log(1.5);
    return disturbed;
  };
  measure::BlockBudget budget;
  auto task = measure::comparison(2, seconds_each);
  task.hash.bytes.front() = static_cast<std::uint8_t>(seed);
  return std::get<protocol::BlockResult>(measure::run_block(port, task, budget)).samples;
}

std::vector<std::vector<stats::SliceValue>> values_of(const std::vector<stats::Sample>& samples) {
  return stats::slice_values(samples, std::array<stats::ArmReading, 2>{});
}

Range shipped_rule(const std::vector<stats::Sample>& samples) {
  const auto values = values_of(samples);
  const auto starts = stats::cold_starts(samples, 2);
  return stats::break_even(stats::pair_costs({values[1], values[0]}, starts[1], starts[0])).range;
}

Range times_to(const std::vector<stats::Sample>& samples, std::int64_t steps) {
  const std::vector<stats::ArmReading> readings(2, stats::ArmReading{.steps_from_start = steps});
  const auto values = stats::slice_values(samples, readings);
  const auto judgement = stats::judge({values[1], values[0]}, {});
  return {judgement.low, judgement.high};
}

/// Wrong: the start of one process stands for all, and the baseline's step counts as exact.
Range one_start_is_exact(const std::vector<stats::Sample>& samples) {
  const auto values = values_of(samples);
  const auto starts = stats::cold_starts(samples, 2);
  const double cost = starts[1].front().seconds() - starts[0].front().seconds();
  const auto judgement = stats::judge({values[1], values[0]}, {});
  double seconds = 0;
  double steps = 0;
  for (const stats::SliceValue& slice : values[0]) {
    seconds += slice.seconds;
    steps += slice.work;
  }
  const double step = seconds / steps;
  return {cost / (step * (1 - std::exp(judgement.low))), cost / (step * (1 - std::exp(judgement.high)))};
}

/// How many of so many contrasts with an interval have one that holds the truth. Where a start is slow some are decided
/// by three pairs of processes and have none.
template <class Rule>
int covered(const Planted& planted, double truth, const Rule& rule) {
  int count = 0;
  int intervals = 0;
  for (std::uint64_t seed = 0; intervals < contrasts && seed < std::uint64_t{10} * contrasts; ++seed) {
    const auto samples = measured(planted, seed);
    if (stats::cold_starts(samples, 2).front().size() < stats::rules::fewest_units) continue;
    ++intervals;
    count += rule(samples).contains(truth) ? 1 : 0;
  }
  EXPECT_EQ(intervals, contrasts);
  return count;
}

/// Starts of 5 and 20 ms: each pair of processes serves one square.
Planted planted(double slow_step, double fast_step) {
  return {{SimulatedArm{.step_seconds = slow_step, .start_seconds = 0.005},
           SimulatedArm{.step_seconds = fast_step, .start_seconds = 0.020}}};
}

TEST(PayBackIntervals, HoldTheTruthWhereTheStepsDifferClearly) {
  const Planted clear = planted(100e-6, 80e-6);
  EXPECT_GE(covered(clear, clear.steps(), shipped_rule), least_covered);
}

TEST(PayBackIntervals, HoldTheTruthWhereTheStepsAreClose) {
  Planted close = planted(100e-6, 97e-6);
  close.process_spread = 0.005;
  EXPECT_GE(covered(close, close.steps(), shipped_rule), least_covered);
}

TEST(PayBackIntervals, HoldTheTruthBesideOutliers) {
  Planted rough = planted(100e-6, 80e-6);
  rough.outliers = 0.1;
  rough.first_start = 6;
  rough.stalls = 0.05;
  EXPECT_GE(covered(rough, rough.steps(), shipped_rule), least_covered);
}

TEST(TimeToNIntervals, HoldTheTruth) {
  const Planted clear = planted(100e-6, 80e-6);
  const auto log_ratio = [&](std::int64_t steps) {
    const auto seconds = [&](const SimulatedArm& arm) {
      return arm.start_seconds + static_cast<double>(1 + steps) * arm.step_seconds;
    };
    return std::log(seconds(clear.arms[1]) / seconds(clear.arms[0]));
  };
  for (const std::int64_t steps : {10, 750, 10'000}) {
    const auto rule = [&](const std::vector<stats::Sample>& samples) { return times_to(samples, steps); };
    EXPECT_GE(covered(clear, log_ratio(steps), rule), least_covered) << steps << " steps";
  }
}

TEST(PayBackIntervals, MissTheTruthIfOneStartCountsAsExact) {
  Planted rough = planted(100e-6, 80e-6);
  EXPECT_LT(covered(rough, rough.steps(), one_start_is_exact), least_covered);
  rough.first_start = 6;
  EXPECT_EQ(covered(rough, rough.steps(), one_start_is_exact), 0)
      << "nothing was cached when the first process started";
}

}  // namespace
}  // namespace regatta::measuring
