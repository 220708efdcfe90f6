// R14: intervals of p95 on programs whose p95 is known, measured by the loop that agents run: the trial's own interval,
// and the interval for the ratio of two arms when their contrast has stopped.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <ostream>
#include <vector>

#include "measure/simulated_arms.hpp"
#include "measuring/replay_random.hpp"
#include "regatta/measure/run_block.hpp"
#include "regatta/stats/quantiles.hpp"
#include "regatta/stats/slice_values.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/metrics.hpp"

namespace regatta::measuring {
namespace {

constexpr std::size_t planted_runs = 200;
constexpr std::size_t covered_runs = 186;  // 93 %
constexpr double p95 = 0.95;

/// The spreads of its calls, as logs of their times.
struct Program {
  const char* name;
  double of_process = 0;  ///< spread between processes (log)
  double of_slice = 0;    ///< between slices of one process
  double memory = 0;      ///< correlation of a call with the one before it, in a slice
  double grid = 0;        ///< times are whole multiples of it; 0: any
};

void PrintTo(const Program& program, std::ostream* out) { *out << program.name; }

constexpr double call_spread = 0.2;  // single calls apart (log)

class PlantedCalls {
 public:
  PlantedCalls(const Program& program, std::uint64_t seed) : program_(program), random_(seed) {}
  PlantedCalls(const PlantedCalls&) = delete;
  PlantedCalls& operator=(const PlantedCalls&) = delete;

  void begin_process() { process_ = program_.of_process * random_.normal(); }
  void begin_slice() {
    slice_ = program_.of_slice * random_.normal();
    last_ = random_.normal();
  }
  double call() {
    last_ = program_.memory * last_ + std::sqrt(1 - program_.memory * program_.memory) * random_.normal();
    const double log_time = process_ + slice_ + call_spread * last_;
    if (program_.grid == 0) return log_time;
    return std::log(std::max(1.0, std::round(std::exp(log_time) / program_.grid)) * program_.grid);
  }

 private:
  const Program& program_;
  Random random_;
  double process_ = 0, slice_ = 0, last_ = 0;
};

/// The p95 over all calls of all processes that there could be.
double true_log_p95(const Program& program) {
  constexpr std::size_t draws = 200'000;
  PlantedCalls calls(program, 77);
  std::vector<double> values;
  for (std::size_t i = 0; i < draws; ++i) {
    calls.begin_process();
    calls.begin_slice();
    values.push_back(calls.call());
  }
  return stats::median_unbiased_quantile(std::move(values), p95);
}

/// Seconds per call of two arms.
using Pair = std::array<double, 2>;
constexpr Pair far_apart = {4e-4, 1.5e-4};  // one arm has 2.7 times as many calls as the other
constexpr Pair near = {4e-4, 3.8e-4};       // at the margin: measured until the time is spent

struct Measured {
  std::vector<stats::Sample> samples;
  stats::Judgement judgement;
};

Measured measured(const Program& program, const Pair& seconds, std::uint64_t seed) {
  measure::SimulatedArms port({{.step_seconds = seconds[0]}, {.step_seconds = seconds[1]}});
  std::array<PlantedCalls, 2> arms = {PlantedCalls(program, seed), PlantedCalls(program, seed + 1'000'000)};
  std::array<std::uint32_t, 2> process = {~0U, ~0U};
  port.noise = [&](const measure::SimulatedSlice& slice) -> measure::Disturbed {
    if (slice.phase != stats::Phase::steady) return {};
    PlantedCalls& calls = arms.at(slice.arm);
    if (process.at(slice.arm) != slice.process) calls.begin_process();
    process.at(slice.arm) = slice.process;
    calls.begin_slice();
    return {.each_call = [&calls] { return calls.call(); }};
  };
  sweep::BlockTask task = measure::comparison(2, 5);
  task.measure.half_width = task.measure.relative_half_width = 1e-6;  // until the time is spent: trials need processes
  task.measure.metric = sweep::Metric::latency_p95;
  task.measure.margin = sweep::info(task.measure.metric).margin;
  measure::BlockBudget budget;
  const auto outcome = measure::run_block(port, task, budget);
  Measured found{std::get<protocol::BlockResult>(outcome).samples, {}};
  const std::array<stats::ArmReading, 2> readings = {stats::ArmReading{.quantile = p95}, {.quantile = p95}};
  const auto values = stats::slice_values(found.samples, readings);
  found.judgement = stats::judge({values[1], values[0]}, {.margin = task.measure.margin});
  return found;
}

std::vector<stats::Sample> of_arm(const std::vector<stats::Sample>& samples, std::uint16_t arm) {
  std::vector<stats::Sample> own;
  std::ranges::copy_if(samples, std::back_inserter(own), [arm](const stats::Sample& each) { return each.arm == arm; });
  return own;
}

/// How often intervals held the truth.
struct Held {
  std::size_t of_trials = 0;  ///< intervals for the p95 of the first arm
  std::size_t without = 0;    ///< runs that gave the first arm none
  std::size_t of_contrasts = 0;
  std::size_t faster = 0;  ///< verdicts
};

bool holds(double low, double high, double truth) {
  constexpr double rounding = 1e-9;  // a tie is hit exactly
  return low <= truth + rounding && truth - rounding <= high;
}

Held held(const Program& program, const Pair& seconds) {
  const double true_log_seconds = std::log(seconds[0]) + true_log_p95(program);
  Held count;
  for (std::size_t run = 0; run < planted_runs; ++run) {
    const Measured found = measured(program, seconds, 1000 + run);
    const auto own = stats::call_quantile(stats::single_calls(of_arm(found.samples, 0), 1), p95);
    if (!own) ++count.without;
    if (own && holds(std::log(own->range.low), std::log(own->range.high), true_log_seconds)) ++count.of_trials;
    if (holds(found.judgement.low, found.judgement.high, std::log(seconds[1] / seconds[0]))) ++count.of_contrasts;
    if (found.judgement.verdict == stats::Verdict::faster) ++count.faster;
  }
  std::printf("%-18s trials %zu of %zu, contrasts %zu of %zu, faster %zu\n", program.name, count.of_trials,
              planted_runs - count.without, count.of_contrasts, planted_runs, count.faster);
  return count;
}

class QuantileCoverage : public testing::TestWithParam<Program> {};

TEST_P(QuantileCoverage, IsKeptByTrialsAndByContrastsThatAreClear) {
  const Held count = held(GetParam(), far_apart);
  EXPECT_GE(count.of_contrasts, covered_runs);
  EXPECT_GE(count.faster, covered_runs);
  EXPECT_LE(count.without, planted_runs / 4) << "of seven pairs of processes, where calls depend on each other";
  EXPECT_GE(planted_runs * count.of_trials, covered_runs * (planted_runs - count.without));
}

TEST_P(QuantileCoverage, IsKeptByTrialsAndByContrastsAtTheMargin) {
  const Held count = held(GetParam(), near);
  EXPECT_GE(count.of_contrasts, covered_runs);
  EXPECT_LE(count.without, planted_runs / 4);
  EXPECT_GE(planted_runs * count.of_trials, covered_runs * (planted_runs - count.without));
}

INSTANTIATE_TEST_SUITE_P(Programs, QuantileCoverage,
                         testing::Values(Program{.name = "IndependentCalls"},
                                         Program{.name = "CallsThatRemember", .memory = 0.9},
                                         Program{.name = "SlicesApart", .of_slice = 0.05},
                                         Program{.name = "ProcessesApart", .of_process = 0.02},
                                         Program{.name = "TimesOnAGrid", .of_process = 0.01, .grid = 0.25}),
                         [](const auto& tested) { return tested.param.name; });

}  // namespace
}  // namespace regatta::measuring
