#include "slice_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "regatta/stats/pilot.hpp"
#include "regatta/stats/verdict.hpp"

namespace regatta::launcher {
namespace {

constexpr std::uint64_t pilot_rounds = 6;
constexpr double pilot_share = 0.4;  // of a slice
constexpr double alpha = 0.05;

/// Log of seconds per step of each arm, by round.
using PilotValues = std::vector<std::vector<double>>;

PilotValues run_pilot_rounds(BlockRun& run, const SliceLengths& lengths) {
  PilotValues values(run.arms.size());
  const std::vector<std::size_t> turn = run.living;
  for (std::uint64_t round = 0; round < pilot_rounds; ++round) {
    for (const std::uint32_t position : stats::round_order(turn.size(), round, order_seed(run.block))) {
      for_living(run, turn[position], [&](Arm& arm) {
        stats::ArmSlices slices = lengths.of(arm.index.value);
        slices.steps = std::max<std::int64_t>(1, std::llround(pilot_share * static_cast<double>(slices.steps)));
        const double seconds = take_slice(run, arm, stats::Phase::warmup, slices);
        values[arm.index.value].push_back(std::log(std::max(seconds, 1e-12) / static_cast<double>(slices.steps)));
      });
    }
  }
  return values;
}

}  // namespace

std::uint64_t order_seed(const sweep::Block& block) {
  std::uint64_t seed = 0;
  std::memcpy(&seed, block.hash.bytes.data(), sizeof seed);
  return seed;
}

const stats::ArmSlices& SliceLengths::of(std::size_t at) const {
  return plan.arms[static_cast<std::size_t>(std::ranges::find(arms, at) - arms.begin())];
}

SliceLengths planned_lengths(const BlockRun& run, double budget_seconds) {
  const sweep::Measure& measure = run.bench.sweep.measure;
  std::vector<double> step_seconds;
  for (const std::size_t at : run.living) step_seconds.push_back(run.arms[at].step_seconds);
  SliceLengths lengths{stats::plan_slices(step_seconds, budget_seconds, {measure.slices, measure.steps}), run.living};
  // Nothing runs between the slices of a single arm that it would come back from.
  if (lengths.plan.arms.size() == 1) lengths.plan.arms.front().reentry_steps = 0;
  return lengths;
}

void adapt_lengths(BlockRun& run, SliceLengths& lengths, double budget_seconds) {
  const std::size_t baseline = run.living.front();
  const PilotValues values = run_pilot_rounds(run, lengths);
  const auto rounds = static_cast<double>(lengths.arms.size());  // of a square
  double square_seconds = 0;
  for (const std::size_t at : lengths.arms) {
    const stats::ArmSlices& slices = lengths.of(at);
    square_seconds += rounds * run.arms[at].step_seconds * static_cast<double>(slices.steps + slices.reentry_steps);
  }
  const double delta = stats::indifference({.margin = run.bench.sweep.measure.margin});
  double factor = 1;
  for (const std::size_t at : run.living) {
    if (at == baseline || !run.is_living(baseline)) continue;
    std::vector<double> of_squares;  // what squares of full slices would scatter
    for (std::size_t round = 0; round < std::min(values[at].size(), values[baseline].size()); ++round)
      of_squares.push_back((values[at][round] - values[baseline][round]) * std::sqrt(pilot_share / rounds));
    const auto advice =
        stats::pilot_advice(of_squares, delta, alpha, budget_seconds / std::max(square_seconds, 1e-6), false);
    factor = std::max(factor, advice.factor);
  }
  lengths.plan = stats::lengthened(std::move(lengths.plan), factor);
}

}  // namespace regatta::launcher
