#include "regatta/stats/slices.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "regatta/base/error.hpp"
#include "regatta/base/random.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/summaries.hpp"

namespace regatta::stats {
namespace {

/// 0 .. size - 1 in an order that (seed, stream) fixes (Fisher-Yates).
std::vector<std::uint32_t> shuffled(std::size_t size, std::uint64_t seed, std::uint64_t stream) {
  std::vector<std::uint32_t> order(size);
  std::iota(order.begin(), order.end(), 0U);
  const std::uint64_t stream_seed = random_bits(seed, stream);
  for (std::size_t left = size; left > 1; --left) {
    std::swap(order[left - 1], order[random_bits(stream_seed, left) % left]);
  }
  return order;
}

/// Row `row` of the cyclic Williams square: 0, 1, k-1, 2, k-2, ... shifted by `row`.
std::vector<std::uint32_t> williams_row(std::size_t arms, std::size_t row) {
  std::vector<std::uint32_t> order(arms);
  for (std::size_t position = 0; position < arms; ++position) {
    const std::size_t zigzag = position % 2 == 1 ? (position + 1) / 2 : (arms - position / 2) % arms;
    order[position] = static_cast<std::uint32_t>((zigzag + row) % arms);
  }
  return order;
}

std::int64_t ceil_div(double a, double b) { return static_cast<std::int64_t>(std::ceil(a / b)); }

std::int64_t reentry_steps(double step_seconds) {
  if (step_seconds >= 1) return 0;
  if (step_seconds > rules::reentry_seconds) return 1;
  return std::max(rules::reentry_least_steps, ceil_div(rules::reentry_seconds, step_seconds));
}

std::int64_t groups(std::int64_t steps, std::int64_t of) { return (steps + of - 1) / of; }

ArmSlices plan_single_calls(double step_seconds, double slice_seconds, std::optional<std::int64_t> fixed_steps) {
  ArmSlices arm;
  arm.wait_each = true;
  arm.reentry_steps = reentry_steps(step_seconds);
  arm.reentry_group = std::max<std::int64_t>(1, groups(arm.reentry_steps, rules::reentry_samples));
  const auto steps = std::max<std::int64_t>(1, std::llround(slice_seconds / step_seconds));
  arm.steps = fixed_steps.value_or(std::min(steps, rules::slice_samples));
  arm.group = groups(arm.steps, rules::slice_samples);  // more than 1 only where the sweep fixes more steps
  return arm;
}

ArmSlices plan_arm(double step_seconds, double slice_seconds, std::optional<std::int64_t> fixed_steps) {
  ArmSlices arm;
  arm.reentry_steps = reentry_steps(step_seconds);
  arm.group = std::max<std::int64_t>(1, ceil_div(rules::sample_seconds, step_seconds));
  arm.steps = fixed_steps.value_or(std::max<std::int64_t>(1, std::llround(slice_seconds / step_seconds)));
  arm.group = std::max(arm.group, groups(arm.steps, rules::slice_samples));
  if (fixed_steps) {
    arm.group = std::min(arm.group, arm.steps);
  } else {
    arm.steps = groups(arm.steps, arm.group) * arm.group;
  }
  arm.reentry_group = std::max(arm.group, groups(arm.reentry_steps, rules::reentry_samples));
  return arm;
}

double slice_seconds_of(double step_seconds, const SliceTimes& times) {
  if (!times.keeps_steps) return times.slice_seconds;
  const double of_steps = static_cast<double>(rules::reentry_least_steps) * step_seconds;
  return std::clamp(of_steps, times.slice_seconds, std::max(times.slice_seconds, rules::longest_slice_seconds));
}

/// As many rounds as the budget holds, cut to what keeps the order balanced.
std::int64_t plan_rounds(std::size_t arms, double round_seconds, double budget_seconds) {
  const double affordable =
      std::clamp(budget_seconds / round_seconds, static_cast<double>(fewest_rounds), static_cast<double>(most_rounds));
  const auto rounds = static_cast<std::int64_t>(affordable);
  const std::int64_t complete = rounds - rounds % static_cast<std::int64_t>(rounds_per_square(arms));
  return complete >= fewest_rounds ? complete : rounds;
}

}  // namespace

std::uint64_t rounds_per_square(std::size_t arms) { return arms <= 1 ? 1 : 2; }

std::vector<std::uint32_t> round_order(std::size_t arms, std::uint64_t round, std::uint64_t seed) {
  if (arms <= 1) return std::vector<std::uint32_t>(arms, 0);
  const std::uint64_t square = round / rounds_per_square(arms);
  const std::uint64_t williams_square = square / arms;
  const auto rows = shuffled(arms, seed, 2 * williams_square);
  const auto labels = shuffled(arms, seed, 2 * williams_square + 1);
  auto order = williams_row(arms, rows[square % arms]);
  if (round % 2 == 1) std::reverse(order.begin(), order.end());
  for (auto& arm : order) arm = labels[arm];
  return order;
}

SlicePlan plan_slices(const std::vector<double>& step_seconds, const SliceTimes& times, const FixedSlices& fixed) {
  expect(!step_seconds.empty(), "a block has at least one arm");
  expect(fixed.rounds.value_or(1) >= 1 && fixed.steps.value_or(1) >= 1, "fixed slices and steps are at least 1");
  constexpr double shortest_step_seconds = 1e-9;  // an empty step can read 0 on a coarse clock
  SlicePlan plan;
  double round_seconds = 0;
  for (const double seconds : step_seconds) {
    expect(std::isfinite(seconds), "a pilot's step time is finite");
    const double step = std::max(seconds, shortest_step_seconds);
    const double wanted = slice_seconds_of(step, times);
    plan.arms.push_back(fixed.single_calls ? plan_single_calls(step, wanted, fixed.steps)
                                           : plan_arm(step, wanted, fixed.steps));
    round_seconds += step * static_cast<double>(plan.arms.back().steps + plan.arms.back().reentry_steps);
  }
  plan.rounds = fixed.rounds ? *fixed.rounds : plan_rounds(step_seconds.size(), round_seconds, times.budget_seconds);
  return plan;
}

ArmSlices with_steps(ArmSlices slices, std::int64_t steps) {
  expect(steps >= 1, "a slice has at least one step");
  slices.group = std::clamp(slices.group, groups(steps, rules::slice_samples), steps);
  slices.steps = groups(steps, slices.group) * slices.group;
  slices.reentry_group = std::max(slices.group, slices.reentry_group);
  return slices;
}

SlicePlan lengthened(SlicePlan plan, double factor) {
  expect(std::isfinite(factor) && factor >= 1, "slices are only ever lengthened");
  for (ArmSlices& arm : plan.arms)
    arm = with_steps(arm, static_cast<std::int64_t>(std::ceil(static_cast<double>(arm.steps) * factor)));
  const auto rounds = static_cast<std::int64_t>(static_cast<double>(plan.rounds) / factor);
  const std::int64_t balanced = static_cast<std::int64_t>(rounds_per_square(plan.arms.size()));
  plan.rounds = std::max(fewest_rounds, rounds >= balanced ? rounds / balanced * balanced : rounds);
  return plan;
}

double slice_factor(std::span<const double> log_ratios, double delta, double affordable, bool carry_over) {
  const double spread = robust_spread(log_ratios);
  const double wanted = std::max(carry_over ? 2.0 : 1.0, spread > delta ? std::pow(spread / delta, 2) : 1.0);
  const double longest = affordable / static_cast<double>(rules::kept_squares);
  return std::max(1.0, std::min(wanted, longest));
}

}  // namespace regatta::stats
