#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numeric>
#include <vector>

#include "measure/measure.hpp"
#include "regatta/stats/call_lengths.hpp"
#include "regatta/stats/rules.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/stats/warm_up.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

constexpr double pilot_seconds = 0.010;        // a pilot slice this long tells the step time well enough
constexpr double pilot_total_seconds = 0.250;  // and a slow model is not run for longer than needed
constexpr std::int64_t pilot_samples = 50;
constexpr std::int64_t most_pilot_steps = 20'000'000;  // half a nanosecond each: no step is shorter
constexpr int call_passes = 3;
constexpr std::array call_shares = {0.3, 0.45, 0.68, 1.0};  // no powers of two: a grid of doublings must show
constexpr std::array<std::int64_t, 4> least_call_steps = {2, 3, 4, 6};
constexpr std::array<std::int64_t, 3> long_call_steps = {2, 3, 5};
constexpr double long_call_seconds = 0.100;
constexpr double calls_share = 0.1;             // share of the time that the block asks for
constexpr double shared_warm_up_seconds = 0.1;  // for a fresh process: no longer than its pilot

std::int64_t group_of(std::int64_t steps) { return std::max<std::int64_t>(1, steps / pilot_samples); }

sweep::Failed clock_stands_still(double seconds) {
  return {sweep::FailureKind::protocol,
          fmt::format("its worker says that {} steps took {:g} s (no step is that short, so its times are no times)",
                      most_pilot_steps, seconds)};
}

/// So many single steps, once they have taken so long, tell how long a step takes.
struct EnoughSteps {
  std::size_t steps;
  double seconds;
};
constexpr std::array enough_long_steps = {EnoughSteps{5, 0.3}, EnoughSteps{3, 1}, EnoughSteps{2, 10},
                                          EnoughSteps{1, 30}};
constexpr std::size_t enough_short_steps = 5;  // slices of several tell more about them

/// A step that takes more than this many times the fastest one still initialises something.
constexpr double settled_steps = 2;

bool is_enough(const std::vector<double>& step_seconds) {
  if (step_seconds.size() >= enough_short_steps && std::ranges::min(step_seconds) < pilot_seconds) return true;
  const double total_seconds = std::accumulate(step_seconds.begin(), step_seconds.end(), 0.0);
  return std::ranges::any_of(enough_long_steps, [&](const EnoughSteps& enough) {
    return step_seconds.size() >= enough.steps && total_seconds >= enough.seconds;
  });
}

/// Runs single steps. Frameworks initialise lazily, so that single ones take a hundred times the others: the fastest
/// one is the time of a step. Returns how many steps came before the first that had settled.
std::int64_t find_fastest_step(BlockRun& run, Arm& arm) {
  std::vector<double> step_seconds;
  while (!is_enough(step_seconds)) step_seconds.push_back(take_slice(run, arm, Phase::warmup, {.steps = 1}));
  arm.step_seconds = std::ranges::min(step_seconds);
  const auto settled =
      std::ranges::find_if(step_seconds, [&](double one) { return one <= settled_steps * arm.step_seconds; });
  return settled - step_seconds.begin();
}

/// Finds the time of a step: the fastest of single ones or, of short steps, that of a slice which is long enough.
/// Returns the steps that a fresh process needs until it is as fast.
std::int64_t find_step_seconds(BlockRun& run, Arm& arm) {
  std::int64_t warmup_steps = std::max<std::int64_t>(1, find_fastest_step(run, arm));
  double seconds = arm.step_seconds;
  double total_seconds = 0;
  for (std::int64_t steps = 1; seconds < pilot_seconds && total_seconds < pilot_total_seconds;) {
    if (steps == most_pilot_steps) throw ArmEnded{clock_stands_still(seconds)};
    const double growth = std::clamp(1.2 * pilot_seconds / std::max(seconds, 1e-9), 2.0, 100.0);
    steps = std::min(most_pilot_steps, static_cast<std::int64_t>(std::ceil(static_cast<double>(steps) * growth)));
    seconds = take_slice(run, arm, Phase::warmup, {.steps = steps, .group = group_of(steps)});
    arm.step_seconds = seconds / static_cast<double>(steps);
    total_seconds += seconds;
    warmup_steps += steps;
  }
  return warmup_steps;
}

/// In steps; different ones, none of a single step.
std::vector<std::int64_t> call_lengths(double step_seconds) {
  std::vector<std::int64_t> lengths;
  if (static_cast<double>(least_call_steps.back()) * step_seconds > long_call_seconds)
    return {long_call_steps.begin(), long_call_steps.end()};
  for (std::size_t i = 0; i < call_shares.size(); ++i) {
    const auto steps = static_cast<std::int64_t>(std::ceil(call_shares[i] * pilot_seconds / step_seconds));
    lengths.push_back(std::max(least_call_steps[i], steps));
  }
  return lengths;
}

/// Whether calls of several lengths are worth their time.
bool tries_calls(const BlockRun& run, const Arm& arm) {
  if (!run.is_compared()) return false;
  const std::vector<std::int64_t> lengths = call_lengths(arm.step_seconds);
  const auto steps = call_passes * std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  const double affordable = calls_share * run.task.planning_seconds / static_cast<double>(run.arms.size());
  return static_cast<double>(steps) * arm.step_seconds <= std::max(pilot_total_seconds, affordable);
}

/// Calls of several lengths, each one sample: whether time is a line in the steps is read from them later, and how
/// long a fresh process takes to reach its speed now.
std::int64_t find_warmup_steps(BlockRun& run, Arm& arm) {
  std::vector<double> step_seconds;
  stats::PilotCalls calls;
  for (int pass = 0; pass < call_passes; ++pass) {
    for (const std::int64_t steps : call_lengths(arm.step_seconds)) {
      const double seconds = take_slice(run, arm, Phase::warmup, {.steps = steps, .group = steps});
      calls.push_back({static_cast<double>(steps), seconds});
      step_seconds.push_back(std::max(seconds, 1e-9) / static_cast<double>(steps));
    }
  }
  if (const auto found = stats::call_lengths({&calls, 1})) arm.call_length_misfit = found->misfit;
  const double delta = std::log1p(run.task.measure.margin);
  const std::size_t prefix = stats::classify_warm_up(step_seconds, delta).prefix;
  double steps = 0;
  for (std::size_t i = 0; i < prefix; ++i) steps += calls[i].steps;
  return std::llround(steps);
}

}  // namespace

/// A sweep that fixes how often a program runs, and compares it with nothing, gets so many runs and none beside them.
/// So does one that asks each seed once.
bool runs_as_told(const BlockRun& run, const Arm& arm) {
  const bool is_fixed = !run.is_compared() && run.task.measure.slices && run.task.measure.steps;
  return arm.is_program() && (is_fixed || run.task.takes_one_pair);
}

void pilot(BlockRun& run, Arm& arm) {
  if (runs_as_told(run, arm)) {
    arm.step_seconds = stats::rules::sample_seconds;  // not known: each run is stamped by itself
    return;
  }
  const double before = run.port.now();
  arm.first_step_seconds = take_slice(run, arm, Phase::first, {.steps = 1});
  arm.step_seconds = arm.first_step_seconds;
  const sweep::Measure& measure = run.task.measure;
  if (arm.is_program()) {  // the time that it reports may be a part of its wall time
    arm.step_seconds = std::max(arm.step_seconds, run.port.now() - before);
    return;
  }
  if (measure.slices && measure.steps) {  // the first step may have compiled: it does not tell how long steps are
    arm.step_seconds = take_slice(run, arm, Phase::warmup, {.steps = 1});
    return;
  }
  arm.warmup_steps = find_step_seconds(run, arm);
  if (tries_calls(run, arm)) arm.warmup_steps += find_warmup_steps(run, arm);
}

void share_warm_ups(BlockRun& run) {
  if (!run.is_compared()) return;
  std::vector<stats::FreshStart> starts;
  for (const std::size_t at : run.living) starts.push_back({run.arms[at].warmup_steps, run.arms[at].step_seconds});
  const std::vector<std::int64_t> shared = stats::shared_warm_ups(starts, shared_warm_up_seconds);
  for (std::size_t i = 0; i < shared.size(); ++i) run.arms[run.living[i]].warmup_steps = shared[i];
}

void renew_process(BlockRun& run, Arm& arm, std::int64_t reentry_steps) {
  if (arm.is_program()) return;  // each of its steps is a fresh process
  renew_arm(run, arm);
  take_slice(run, arm, Phase::first, {.steps = 1});
  const std::int64_t steps = arm.warmup_steps - reentry_steps;
  if (steps > 0) take_slice(run, arm, Phase::warmup, {.steps = steps, .group = group_of(steps)});
}

}  // namespace regatta::measure
