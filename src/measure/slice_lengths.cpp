#include "measure/slice_lengths.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>
#include <span>

#include "regatta/stats/order_effects.hpp"
#include "regatta/stats/slices.hpp"
#include "regatta/stats/summaries.hpp"
#include "regatta/stats/verdict.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::measure {
namespace {

constexpr std::uint64_t pilot_rounds = 6;
constexpr double pilot_share = 0.4;  // share of a slice
constexpr std::int64_t pilot_samples = 100;
constexpr std::int64_t resumed_steps = 16;         // a queue of prefetched batches is rarely longer
constexpr double longest_resumed_seconds = 0.050;  // most rounds look at long steps for no longer
constexpr std::uint64_t long_rounds = 3;           // the first: a median of three survives a disturbed one
constexpr double long_share = 0.1;                 // all arms in these rounds, in the block's time
constexpr double most_off = 1.25;  // slices stay as they are while they take less than so many times what is wanted

/// The unscored slices of one arm. Each begins right after the arm was resumed.
struct PilotSlices {
  std::vector<std::vector<double>> step_seconds;  ///< by round and sample
  std::int64_t group = 1;                         ///< steps of one sample
};

/// The time that `resumed_steps` of an arm may take in a round.
double longest_look_seconds(std::uint64_t round, std::size_t arms, double budget_seconds) {
  if (round >= long_rounds) return longest_resumed_seconds;
  return std::max(longest_resumed_seconds, long_share * budget_seconds / static_cast<double>(long_rounds * arms));
}

/// Re-entry and the first part of a slice in one, all of it stamped.
stats::ArmSlices pilot_slice(const stats::ArmSlices& planned, double step_seconds, double longest_seconds) {
  stats::ArmSlices slice;
  slice.steps =
      planned.reentry_steps + std::max<std::int64_t>(1, std::llround(pilot_share * static_cast<double>(planned.steps)));
  if (static_cast<double>(resumed_steps) * step_seconds <= longest_seconds)
    slice.steps = std::max(slice.steps, resumed_steps);
  slice.group = std::max(planned.group, (slice.steps + pilot_samples - 1) / pilot_samples);
  slice.steps = (slice.steps + slice.group - 1) / slice.group * slice.group;
  return slice;
}

void run_pilot_slice(BlockRun& run, Arm& arm, const stats::ArmSlices& slice, PilotSlices& seen) {
  const std::uint32_t number = run.slices;
  take_slice(run, arm, stats::Phase::warmup, slice);
  std::vector<double>& samples = seen.step_seconds.emplace_back();
  for (const stats::Sample& sample : run.samples) {
    if (sample.slice != number) continue;
    if (samples.empty()) seen.group = sample.steps;  // more than planned where a call takes several
    samples.push_back(sample.seconds / sample.steps);
  }
}

std::vector<PilotSlices> run_pilot_rounds(BlockRun& run, const SliceLengths& lengths, double budget_seconds) {
  std::vector<PilotSlices> seen(run.arms.size());
  const std::vector<std::size_t> turn = run.living;
  for (std::uint64_t round = 0; round < pilot_rounds; ++round) {
    const double longest_seconds = longest_look_seconds(round, turn.size(), budget_seconds);
    for (const std::uint32_t position : stats::round_order(turn.size(), round, order_seed(run.task))) {
      for_living(run, turn[position], [&](Arm& arm) {
        const std::size_t at = arm.index.value;
        const double look_seconds = arm.is_program() ? 0 : longest_seconds;  // each step is a fresh process
        run_pilot_slice(run, arm, pilot_slice(lengths.of(at), arm.step_seconds, look_seconds), seen[at]);
      });
    }
  }
  return seen;
}

/// Log of seconds per work by round, of what follows the re-entry.
std::vector<double> settled_values(const PilotSlices& seen, std::int64_t reentry_steps, double work_per_step) {
  const auto reentry = static_cast<std::size_t>((reentry_steps + seen.group - 1) / seen.group);
  std::vector<double> values;
  for (const std::vector<double>& samples : seen.step_seconds) {
    const auto kept = std::span(samples).subspan(std::min(reentry, samples.size() - 1));
    const double seconds = std::accumulate(kept.begin(), kept.end(), 0.0) / static_cast<double>(kept.size());
    values.push_back(std::log(std::max(seconds, 1e-12) / work_per_step));
  }
  return values;
}

std::vector<double> log_ratios(const std::vector<double>& of_arm, const std::vector<double>& of_baseline) {
  std::vector<double> ratios;
  for (std::size_t round = 0; round < std::min(of_arm.size(), of_baseline.size()); ++round)
    ratios.push_back(of_arm[round] - of_baseline[round]);
  return ratios;
}

/// The log ratios scaled to the scatter of squares of full slices: they come from single and shorter ones.
std::vector<double> as_of_squares(std::vector<double> ratios) {
  const auto rounds = static_cast<double>(stats::rounds_per_square(2));
  for (double& ratio : ratios) ratio *= std::sqrt(pilot_share / rounds);
  return ratios;
}

/// Steps at the start of its slices that an arm does unlike those that follow.
std::int64_t unsettled_steps(const PilotSlices& seen, double delta) {
  const std::span<const std::vector<double>> slices = seen.step_seconds;
  std::size_t samples = stats::unsettled_samples(slices, delta);
  if (slices.size() > long_rounds && slices.front().size() > slices.back().size())
    samples = std::max(samples, stats::unsettled_samples(slices.first(long_rounds), delta));
  return static_cast<std::int64_t>(samples) * seen.group;
}

/// Longer re-entries where slices begin unlike they go on; whether any arm needs that.
bool lengthen_reentries(SliceLengths& lengths, const std::vector<PilotSlices>& seen, double delta) {
  bool any = false;
  for (std::size_t i = 0; i < lengths.arms.size(); ++i) {
    stats::ArmSlices& slices = lengths.plan.arms[i];
    const std::int64_t needed = unsettled_steps(seen[lengths.arms[i]], delta);
    if (needed <= slices.reentry_steps) continue;
    any = true;
    slices.reentry_steps += needed;  // steps that cost nothing warm nothing
    slices.reentry_group = std::max(
        slices.group, (slices.reentry_steps + stats::rules::reentry_samples - 1) / stats::rules::reentry_samples);
  }
  return any;
}

stats::SliceTimes slice_times(const BlockRun& run, double budget_seconds) {
  stats::SliceTimes times{.budget_seconds = budget_seconds};
  if (!run.is_compared()) return times;
  const double start = start_seconds(run);
  times.slice_seconds = stats::wanted_slice_seconds(start, budget_seconds, run.living.size());
  times.keeps_steps = start > stats::rules::very_slow_start_seconds;
  return times;
}

/// The arm whose step time decides: a clone's slices are as long as those of the arm that it repeats.
const Arm& deciding_arm(const BlockRun& run, std::size_t at) {
  if (!run.task.has_clone || at + 1 != run.arms.size()) return run.arms[at];
  const std::vector<sweep::ArmTask>& tasks = run.task.arms;
  const auto original = static_cast<std::size_t>(std::ranges::find(tasks, tasks[at]) - tasks.begin());
  return run.arms[run.is_living(original) ? original : at];
}

bool is_far_off(double ratio) { return ratio > most_off || ratio < 1 / most_off; }

/// Slow programs: each run is a fresh process, so that more of them in a slice make fewer pairs and no better ones.
bool has_single_runs(const BlockRun& run, const SliceLengths& lengths) {
  return std::ranges::all_of(run.living,
                             [&](std::size_t at) { return run.arms[at].is_program() && lengths.of(at).steps == 1; });
}

/// Seconds per step that the rounds showed, the typical one after the re-entry, where the pilot said something else.
void learn_step_seconds(Arm& arm, const std::vector<double>& values) {
  const double step_seconds = std::max(std::exp(stats::median(values)) * arm.task->work_per_step, 1e-9);
  if (is_far_off(step_seconds / arm.step_seconds)) arm.step_seconds = step_seconds;
}

/// Plans anew from step times that are better known now. Re-entries that were made longer stay as long.
void plan_again(const BlockRun& run, SliceLengths& lengths, double budget_seconds) {
  SliceLengths again = planned_lengths(run, budget_seconds);
  for (std::size_t i = 0; i < again.arms.size(); ++i) {
    stats::ArmSlices& slices = again.plan.arms[i];
    const stats::ArmSlices& before = lengths.of(again.arms[i]);
    if (before.reentry_steps <= slices.reentry_steps) continue;
    slices.reentry_steps = before.reentry_steps;
    slices.reentry_group = std::max(slices.group, before.reentry_group);
  }
  lengths = std::move(again);
}

/// A slice consists of whole calls.
std::int64_t in_whole_calls(const Arm& arm, std::int64_t steps) {
  const std::int64_t call = sweep::steps_per_call(arm.task->parameters);
  return (steps + call - 1) / call * call;
}

}  // namespace

std::uint64_t order_seed(const sweep::BlockTask& task) {
  std::uint64_t seed = 0;
  std::memcpy(&seed, task.hash.bytes.data(), sizeof seed);
  return seed;
}

const stats::ArmSlices& SliceLengths::of(std::size_t at) const {
  return plan.arms[static_cast<std::size_t>(std::ranges::find(arms, at) - arms.begin())];
}

SliceLengths planned_lengths(const BlockRun& run, double budget_seconds) {
  const sweep::Measure& measure = run.task.measure;
  std::vector<double> step_seconds;
  for (const std::size_t at : run.living) step_seconds.push_back(deciding_arm(run, at).step_seconds);
  SliceLengths lengths{stats::plan_slices(step_seconds, slice_times(run, budget_seconds),
                                          {measure.slices, measure.steps, sweep::is_latency(measure.metric)}),
                       run.living,
                       {}};
  if (sweep::is_value_of_processes(measure.metric)) {  // a step more or less changes little of it
    const std::int64_t steps = measure.steps.value_or(1);
    for (stats::ArmSlices& slices : lengths.plan.arms) slices = {.steps = steps, .group = steps};
  }
  // Nothing runs between the slices of a single arm that it would come back from, and no program comes back.
  for (std::size_t i = 0; i < lengths.arms.size(); ++i) {
    if (lengths.arms.size() == 1 || run.arms[lengths.arms[i]].is_program()) lengths.plan.arms[i].reentry_steps = 0;
    lengths.slice_seconds.push_back(static_cast<double>(lengths.plan.arms[i].steps) * step_seconds[i]);
  }
  return lengths;
}

void correct_lengths(const BlockRun& run, SliceLengths& lengths) {
  const sweep::Measure& measure = run.task.measure;
  if (measure.steps || sweep::is_latency(measure.metric) || sweep::is_value_of_processes(measure.metric)) return;
  for (std::size_t i = 0; i < lengths.arms.size(); ++i) {
    const Arm& arm = deciding_arm(run, lengths.arms[i]);
    if (arm.is_program() || arm.scored_step_seconds.empty()) continue;
    const double step_seconds = std::max(stats::median(arm.scored_step_seconds), 1e-9);
    stats::ArmSlices& slices = lengths.plan.arms[i];
    if (!is_far_off(static_cast<double>(slices.steps) * step_seconds / lengths.slice_seconds[i])) continue;
    const double steps = std::max(1.0, std::round(lengths.slice_seconds[i] / step_seconds));
    slices = stats::with_steps(slices, static_cast<std::int64_t>(steps));
  }
}

double square_seconds(const BlockRun& run, const SliceLengths& lengths) {
  const auto rounds = static_cast<double>(stats::rounds_per_square(lengths.arms.size()));
  double seconds = 0;
  for (const std::size_t at : lengths.arms) {
    const stats::ArmSlices& slices = lengths.of(at);
    const Arm& arm = run.arms[at];
    const auto steps = in_whole_calls(arm, slices.steps) + in_whole_calls(arm, slices.reentry_steps);
    seconds += rounds * arm.step_seconds * static_cast<double>(steps);
  }
  return seconds;
}

void adapt_lengths(BlockRun& run, SliceLengths& lengths, double budget_seconds) {
  if (sweep::is_value_of_processes(run.task.measure.metric) || has_single_runs(run, lengths)) return;
  const std::size_t baseline = run.living.front();
  const double delta = stats::indifference({.margin = run.task.measure.margin});
  const std::vector<PilotSlices> seen = run_pilot_rounds(run, lengths, budget_seconds);
  const bool carries_over = lengthen_reentries(lengths, seen, delta);
  std::vector<std::vector<double>> values(run.arms.size());
  for (const std::size_t at : lengths.arms)
    values[at] = settled_values(seen[at], lengths.of(at).reentry_steps, run.arms[at].task->work_per_step);
  for (const std::size_t at : run.living) {
    const bool takes_what_it_tells = !run.arms[at].is_program();  // a program may report a part of its time
    if (takes_what_it_tells) learn_step_seconds(run.arms[at], values[at]);
  }
  if (!run.living.empty()) plan_again(run, lengths, budget_seconds);
  if (sweep::is_latency(run.task.measure.metric)) return;  // its slices are as long as single calls allow
  const double affordable = budget_seconds / std::max(square_seconds(run, lengths), 1e-6);
  double factor = 1;
  for (const std::size_t at : run.living) {
    if (at == baseline || !run.is_living(baseline)) continue;
    const std::vector<double> of_squares = as_of_squares(log_ratios(values[at], values[baseline]));
    factor = std::max(factor, stats::slice_factor(of_squares, delta, affordable, carries_over));
  }
  lengths.plan = stats::lengthened(std::move(lengths.plan), factor);
  for (double& seconds : lengths.slice_seconds) seconds *= factor;
}

}  // namespace regatta::measure
