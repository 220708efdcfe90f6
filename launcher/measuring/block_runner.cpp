#include "measuring/block_runner.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "measuring/block_run.hpp"
#include "measuring/calibration.hpp"
#include "measuring/hardware_limit.hpp"
#include "measuring/pilot.hpp"
#include "measuring/prepare_arms.hpp"
#include "measuring/same_work.hpp"
#include "measuring/slice_loop.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/sweep/model_of.hpp"

namespace regatta::launcher {
namespace {

constexpr std::int64_t check_steps = 3;
constexpr double longest_checked_step_seconds = 30;

/// A worker that cannot run its first steps again reports no losses.
void judge_work(Arm& arm, const Arm& baseline, const protocol::Checked& its, const protocol::Checked& expected) {
  using sweep::Verified;
  if (its.losses.empty() || expected.losses.empty()) {
    sweep::set_verified(arm.report, Verified::unchecked, "no losses were reported");
  } else if (owed(baseline.parameters, arm.parameters) == Agreement::rounded) {
    const double apart = rounding_apart(expected, its);
    sweep::set_verified(
        arm.report, apart <= rounded_tolerance ? Verified::unchecked : Verified::no,
        fmt::format("different arithmetic: the mean results of the first {} steps lie up to {:.2g} % apart",
                    check_steps, 100 * apart));
  } else {
    const std::string detail = difference(expected, its);
    sweep::set_verified(arm.report, detail.empty() ? Verified::yes : Verified::no, detail);
  }
}

void check_same_work(BlockRun& run) {
  if (run.living.size() < 2) return;
  const Arm& baseline = run.arms[run.living.front()];
  const bool quick = std::ranges::all_of(
      run.living, [&](std::size_t at) { return run.arms[at].step_seconds < longest_checked_step_seconds; });
  std::vector<std::size_t> alike;
  for (std::size_t at : run.living) {
    const Arm& arm = run.arms[at];
    const bool owes =
        sweep::keeps_work(arm.intervention.kind) && owed(baseline.parameters, arm.parameters) != Agreement::none;
    if (arm.in_worker() && owes) alike.push_back(at);
  }
  if (!quick || alike.size() < 2 || alike.front() != run.living.front()) return;
  std::vector<protocol::Checked> checked(run.arms.size());
  for_each_living(run, [&](Arm& arm) {
    if (std::ranges::find(alike, arm.index.value) != alike.end())
      checked[arm.index.value] = check(run.bench, arm, check_steps);
  });
  for (std::size_t at : alike) judge_work(run.arms[at], baseline, checked[at], checked[alike.front()]);
}

std::vector<Arm> make_arms(Bench& bench, const sweep::Block& block) {
  std::vector<Arm> arms;
  for (std::uint32_t i = 0; i < block.arms.size(); ++i) {
    Arm arm;
    arm.index = {i};
    if (block.is_intervention()) arm.intervention = block.interventions[i];
    arm.parameters = sweep::changed(bench.plan.trials[block.arms[i].value].parameters, arm.intervention);
    arm.own_process = block.arms.size() > 1;
    const sweep::Value& command = arm.parameters[sweep::Param::command];
    if (const auto* name = std::get_if<std::string>(&command)) arm.command = &bench.sweep.commands.at(*name);
    arm.report.arm = arm.index;
    arms.push_back(std::move(arm));
  }
  return arms;
}

/// Measures the slot, or takes what is remembered of it.
std::optional<results::Calibration> calibrate(Bench& bench, bool anew) {
  const CalibrationSite site{bench.host, bench.pool.options().cpus, bench.inputs.worker};
  const auto measure = [&] {
    bench.pool.pause_others(nullptr);
    return measure_calibration(site, bench.spawner, bench.pool.options().log_folder + "/calibrate.log");
  };
  return anew ? measure() : load_or_measure_calibration(site, user_cache_folder(), measure);
}

/// Whether the slot was calibrated for this block.
bool calibrate_once(BlockRun& run) {
  Bench& bench = run.bench;
  if (bench.calibration_tried || !needs_calibration(bench.sweep, bench.plan, run.block)) return false;
  bench.calibration_tried = true;
  bench.calibration = calibrate(bench, false);
  return bench.calibration.has_value();
}

double mean_step_seconds(const BlockRun& run, const Arm& arm) {
  double seconds = 0;
  double steps = 0;
  for (const stats::Sample& sample : run.samples) {
    if (sample.arm != arm.index.value || sample.phase != stats::Phase::steady) continue;
    seconds += sample.seconds;
    steps += sample.steps;
  }
  return steps > 0 ? seconds / steps : std::numeric_limits<double>::infinity();
}

/// Work that was folded away is no faster way to do it. A remembered peak may be that of a disturbed minute, so it is
/// measured again before anybody is accused.
void refuse_the_impossible(BlockRun& run) {
  for_each_living(run, [&](Arm& arm) {
    const auto model = sweep::model_of(run.bench.sweep, arm.parameters);
    const bool computes = arm.intervention.kind != sweep::InterventionKind::kernels_emptied;
    if (!run.bench.calibration || !arm.in_worker() || !model || !computes) return;
    const double step_seconds = mean_step_seconds(run, arm);
    const auto accusation = [&] {
      return faster_than_hardware(*model, arm.parameters, step_seconds, *run.bench.calibration);
    };
    if (accusation().empty()) return;
    if (const auto again = calibrate(run.bench, true)) run.bench.calibration = again;
    if (const std::string impossible = accusation(); !impossible.empty()) {
      sweep::set_verified(arm.report, sweep::Verified::no, impossible);
    }
  });
}

protocol::BlockResult result_of(BlockRun& run, AttemptId attempt, double start_wall_seconds) {
  protocol::BlockResult result;
  result.block = run.block.index;
  result.attempt = attempt;
  result.start_wall_seconds = start_wall_seconds;
  result.end_wall_seconds = wall_seconds();
  for (Arm& arm : run.arms) result.arms.push_back(std::move(arm.report));
  result.undecided = run.undecided;
  result.samples = std::move(run.samples);
  return result;
}

/// The cell itself did not run, or its engine offers nothing.
bool has_nothing_to_explain(const BlockRun& run) {
  return run.block.is_intervention() && (!run.is_living(0) || run.living.size() < 2);
}

/// Whether the slot was calibrated on the way.
bool run_to_the_end(BlockRun& run, const std::vector<protocol::DroppedArm>& dropped) {
  for (const protocol::DroppedArm& drop : dropped)
    run.arms[drop.arm.value].report.outcome = sweep::Failed{drop.kind, drop.message};
  for (std::size_t at = 0; at < run.arms.size(); ++at) {
    const bool out = std::ranges::any_of(dropped, [&](const auto& drop) { return drop.arm.value == at; });
    if (!out) run.living.push_back(at);
  }
  prepare_arms(run);
  const bool calibrated = calibrate_once(run);
  for_each_living(run, [&](Arm& arm) { pilot(run, arm); });
  share_warm_ups(run);
  check_same_work(run);
  if (!run.living.empty() && !has_nothing_to_explain(run)) measure(run);
  refuse_the_impossible(run);
  return calibrated;
}

}  // namespace

BlockOutcome run_block(Bench& bench, const sweep::Block& block, AttemptId attempt,
                       const std::vector<protocol::DroppedArm>& dropped) {
  const double start_wall_seconds = wall_seconds();
  BlockRun run{bench, block, make_arms(bench, block), {}, {}};
  const auto release = [&] {
    for (const Arm& arm : run.arms) release_arm(bench, arm);
  };
  bool calibrated = false;
  try {
    calibrated = run_to_the_end(run, dropped);
  } catch (const ArmDied& died) {
    release();
    return protocol::AttemptFailed{block.index, attempt, died.arm, died.death.kind, died.death.what()};
  }
  release();
  auto result = result_of(run, attempt, start_wall_seconds);
  if (calibrated) result.calibration_json = to_json(*bench.calibration);
  return result;
}

}  // namespace regatta::launcher
