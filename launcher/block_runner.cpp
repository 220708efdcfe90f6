#include "block_runner.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <exception>
#include <utility>

#include "regatta/base/log.hpp"
#include "same_work.hpp"

namespace regatta::launcher {
namespace {

using stats::Phase;
using sweep::FailureKind;

constexpr double pilot_seconds = 0.010;        // a pilot slice this long tells the step time well enough
constexpr double pilot_total_seconds = 0.250;  // and a slow model is not run for longer than needed
constexpr std::int64_t pilot_samples = 50;
constexpr std::int64_t check_steps = 3;
constexpr double longest_checked_step_seconds = 1;

/// A block while it is measured.
struct Run {
  Bench& bench;
  const sweep::Block& block;
  std::vector<Arm> arms;
  std::vector<std::size_t> living;  ///< positions in `arms` that are still measured
  std::vector<stats::Sample> samples;
  std::uint32_t slices = 0;
};

/// Ends the attempt: the worker died while this arm ran.
struct ArmDied {
  ArmIndex arm;
  WorkerDied death;
};

void end(Arm& arm, std::vector<stats::Sample>& samples, const sweep::Outcome& outcome) {
  arm.report.outcome = outcome;
  std::erase_if(samples, [&](const stats::Sample& sample) { return sample.arm == arm.index.value; });
}

// Runs `action` for each living arm; arms that end by themselves leave the run.
template <class Action>
void for_each_living(Run& run, const Action& action) {
  std::erase_if(run.living, [&](std::size_t at) {
    Arm& arm = run.arms[at];
    try {
      action(arm);
      return false;
    } catch (const ArmEnded& ended) {
      end(arm, run.samples, ended.outcome);
    } catch (const WorkerDied& died) {
      if (died.kind != FailureKind::could_not_start) throw ArmDied{arm.index, died};
      end(arm, run.samples, sweep::Failed{died.kind, died.what()});
    }
    return true;
  });
}

double slice(Run& run, Arm& arm, Phase phase, const stats::ArmSlices& length) {
  const auto samples = run_slice(run.bench, arm, phase, run.slices++, length);
  run.samples.insert(run.samples.end(), samples.begin(), samples.end());
  double seconds = 0;
  for (const stats::Sample& sample : samples) {
    if (sample.phase == phase) seconds += sample.seconds;
  }
  return seconds;
}

// First step, then slices of growing length until one is long enough to tell the time of a step.
void pilot(Run& run, Arm& arm) {
  arm.step_seconds = slice(run, arm, Phase::first, {1, 1, 0});
  const sweep::Measure& measure = run.bench.sweep.measure;
  if ((measure.slices && measure.steps) || !arm.in_worker()) return;
  double total_seconds = 0;
  for (std::int64_t steps = 1;;) {
    const double seconds = slice(run, arm, Phase::warmup, {steps, std::max<std::int64_t>(1, steps / pilot_samples), 0});
    arm.step_seconds = seconds / static_cast<double>(steps);
    total_seconds += seconds;
    if (seconds >= pilot_seconds || total_seconds >= pilot_total_seconds) return;
    const double growth = std::clamp(1.2 * pilot_seconds / std::max(seconds, 1e-9), 2.0, 100.0);
    steps = static_cast<std::int64_t>(std::ceil(static_cast<double>(steps) * growth));
  }
}

void check_same_work(Run& run) {
  if (run.living.size() < 2) return;
  const Arm& baseline = run.arms[run.living.front()];
  const bool quick = std::ranges::all_of(
      run.living, [&](std::size_t at) { return run.arms[at].step_seconds < longest_checked_step_seconds; });
  std::vector<std::size_t> alike;
  for (std::size_t at : run.living) {
    if (run.arms[at].in_worker() && comparable(baseline.trial->parameters, run.arms[at].trial->parameters))
      alike.push_back(at);
  }
  if (!quick || alike.size() < 2 || alike.front() != run.living.front()) return;
  std::vector<Losses> losses(run.arms.size());
  for_each_living(run, [&](Arm& arm) {
    if (std::ranges::find(alike, arm.index.value) != alike.end())
      losses[arm.index.value] = check_losses(run.bench, arm, check_steps);
  });
  for (std::size_t at : alike) {
    const std::string apart = difference(losses[alike.front()], losses[at]);
    run.arms[at].report.verified = apart.empty() ? "yes" : "no";
    run.arms[at].report.verified_detail = apart;
  }
}

std::uint64_t order_seed(const sweep::Block& block) {
  std::uint64_t seed = 0;
  std::memcpy(&seed, block.hash.bytes.data(), sizeof seed);
  return seed;
}

void measure(Run& run) {
  const sweep::Measure& measure = run.bench.sweep.measure;
  std::vector<double> step_seconds;
  for (std::size_t at : run.living) step_seconds.push_back(run.arms[at].step_seconds);
  const double budget_seconds = block_budget_seconds(run.bench.sweep, run.bench.plan, run.block);
  stats::SlicePlan plan = stats::plan_slices(step_seconds, budget_seconds, {measure.slices, measure.steps});
  if (plan.arms.size() == 1)
    plan.arms.front().reentry_steps = 0;                 // nothing ran in between that it would come back from
  const std::vector<std::size_t> measured = run.living;  // an arm that ends keeps its place in the order
  for (std::int64_t round = 0; round < plan.rounds; ++round) {
    for (std::uint32_t position :
         stats::round_order(measured.size(), static_cast<std::uint64_t>(round), order_seed(run.block))) {
      const std::size_t at = measured[position];
      for_each_living(run, [&](Arm& arm) {
        if (arm.index.value == at) slice(run, arm, Phase::steady, plan.arms[position]);
      });
    }
  }
}

std::vector<Arm> make_arms(Bench& bench, const sweep::Block& block) {
  std::vector<Arm> arms;
  for (std::uint32_t i = 0; i < block.arms.size(); ++i) {
    Arm arm;
    arm.index = {i};
    arm.trial = &bench.plan.trials[block.arms[i].value];
    const sweep::Value& command = arm.trial->parameters[sweep::Param::command];
    if (const auto* name = std::get_if<std::string>(&command)) arm.command = &bench.sweep.commands.at(*name);
    arm.report.arm = arm.index;
    arms.push_back(std::move(arm));
  }
  return arms;
}

protocol::BlockResult result_of(Run& run, AttemptId attempt, double start_wall_seconds) {
  protocol::BlockResult result;
  result.block = run.block.index;
  result.attempt = attempt;
  result.start_wall_seconds = start_wall_seconds;
  result.end_wall_seconds = wall_seconds();
  for (Arm& arm : run.arms) result.arms.push_back(std::move(arm.report));
  result.samples = std::move(run.samples);
  return result;
}

void run_to_the_end(Run& run, const std::vector<protocol::DroppedArm>& dropped) {
  for (const protocol::DroppedArm& drop : dropped)
    run.arms[drop.arm.value].report.outcome = sweep::Failed{drop.kind, drop.message};
  for (std::size_t at = 0; at < run.arms.size(); ++at) {
    const bool out = std::ranges::any_of(dropped, [&](const auto& drop) { return drop.arm.value == at; });
    if (!out) run.living.push_back(at);
  }
  for_each_living(run, [&](Arm& arm) { prepare_arm(run.bench, arm); });
  for_each_living(run, [&](Arm& arm) { pilot(run, arm); });
  check_same_work(run);
  if (!run.living.empty()) measure(run);
}

}  // namespace

double block_budget_seconds(const sweep::Sweep& sweep, const sweep::Plan& plan, const sweep::Block& block) {
  const double contrasts = block.has_baseline ? static_cast<double>(block.arms.size() - 1) : 1;
  const double wanted = sweep.measure.per_contrast_seconds * std::max(contrasts, 1.0);
  if (!sweep.measure.total_seconds) return wanted;
  std::size_t arms = 0;
  for (const sweep::Block& each : plan.blocks) arms += each.arms.size();
  return std::min(wanted,
                  *sweep.measure.total_seconds * static_cast<double>(block.arms.size()) / static_cast<double>(arms));
}

BlockOutcome run_block(Bench& bench, const sweep::Block& block, AttemptId attempt,
                       const std::vector<protocol::DroppedArm>& dropped) {
  const double start_wall_seconds = wall_seconds();
  Run run{bench, block, make_arms(bench, block), {}, {}, 0};
  const auto release = [&] {
    for (const Arm& arm : run.arms) release_arm(bench, arm);
  };
  try {
    run_to_the_end(run, dropped);
  } catch (const ArmDied& died) {
    release();
    return protocol::AttemptFailed{block.index, attempt, died.arm, died.death.kind, died.death.what()};
  }
  release();
  return result_of(run, attempt, start_wall_seconds);
}

}  // namespace regatta::launcher
