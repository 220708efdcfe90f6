#include "regatta/measure/run_block.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "measure/check_same_work.hpp"
#include "measure/hardware_limit.hpp"
#include "measure/news.hpp"
#include "measure/pilot.hpp"
#include "measure/prepare_arms.hpp"
#include "measure/slice_loop.hpp"
#include "measure/train_leg.hpp"
#include "regatta/measure/block_run.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::measure {
namespace {

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

/// What is known of the cores, or of the device.
Peaks peaks_of(BlockRun& run, Calibrate how, bool on_cores) {
  if (how != Calibrate::never) park_awake(run);
  Peaks peaks;
  if (!on_cores)
    peaks.device = run.port.device_peaks(how);
  else if (const auto core = run.port.core_peak_flops_per_second(how))
    peaks.core = *core;
  return peaks;
}

/// Work that was folded away is no faster way to do it. A remembered peak may be that of a disturbed minute, so it is
/// measured again before anybody is accused.
void refuse_the_impossible(BlockRun& run) {
  for_each_living(run, [&](Arm& arm) {
    const bool computes = arm.task->intervention.kind != sweep::InterventionKind::kernels_emptied;
    if (arm.is_program() || !arm.task->model || !computes) return;
    const double step_seconds = mean_step_seconds(run, arm);
    const sweep::Parameters& parameters = arm.task->parameters;
    const bool on_cores = sweep::device_kind_of(parameters) == sweep::DeviceKind::cpu;
    const auto accusation = [&](Calibrate how) {
      return faster_than_hardware(*arm.task->model, parameters, step_seconds, peaks_of(run, how, on_cores));
    };
    if (accusation(Calibrate::never).empty()) return;
    if (const std::string impossible = accusation(Calibrate::anew); !impossible.empty()) {
      arm.verified = sweep::Verified::no;
      arm.verified_detail = impossible;
    }
  });
}

/// The cell itself did not run, or its engine offers nothing.
bool has_nothing_to_explain(const BlockRun& run) {
  return run.task.explains && (!run.is_living(0) || run.living.size() < 2);
}

void run_to_the_end(BlockRun& run) {
  if (run.task.leg) return train_leg(run);
  prepare_arms(run);
  if (needs_core_peak(run.task)) peaks_of(run, Calibrate::once, true);
  if (needs_device_peaks(run.task)) peaks_of(run, Calibrate::once, false);
  for_each_living(run, [&](Arm& arm) {
    leave_if_interrupted(run);
    pilot(run, arm);
    tell_beginning(run);
  });
  refuse_what_outgrew_memory(run);
  share_warm_ups(run);
  check_same_work(run);
  if (!run.living.empty() && !has_nothing_to_explain(run)) measure(run);
  refuse_the_impossible(run);
}

/// What its processes were seen to use, or else what their workers said that they need.
void note_memory(sweep::ArmOutcome& report, const Arm& arm) {
  const std::uint64_t seen = peak_bytes_of(arm.memory);
  sweep::note_peak_bytes(report, seen > 0 ? seen : arm.peak_bytes);
  const std::optional<MemoryGrowth> growth = memory_growth(arm.memory);
  if (!growth) return;
  sweep::set(report.facts, sweep::Fact::memory_growth, growth->bytes_per_step);
  sweep::set(report.facts, sweep::Fact::memory_steps, growth->steps);
}

protocol::BlockResult result_of(BlockRun& run) {
  protocol::BlockResult result;
  result.block = run.task.block;
  result.attempt = run.task.attempt;
  for (Arm& arm : run.arms) {
    sweep::ArmOutcome report = run.port.report(arm.index);
    report.arm = arm.index;
    report.outcome = std::move(arm.outcome);
    note_memory(report, arm);
    if (arm.device_memory)
      sweep::set(report.facts, sweep::Fact::device_bytes, static_cast<std::int64_t>(arm.device_memory->held));
    if (!arm.learned.empty()) sweep::set(report.facts, sweep::Fact::learned, std::move(arm.learned));
    if (!arm.why_stopped.empty()) sweep::set(report.facts, sweep::Fact::why_stopped, arm.why_stopped);
    if (run.task.measure.metric == sweep::Metric::peak_memory)
      sweep::add_process_peaks(report.facts, arm.process_values);
    if (arm.verified != sweep::Verified::unchecked || !arm.verified_detail.empty())
      sweep::set_verified(report, arm.verified, std::move(arm.verified_detail));
    result.arms.push_back(std::move(report));
  }
  result.undecided = run.undecided;
  result.interrupted = run.interrupted;
  result.samples = std::move(run.samples);
  return result;
}

std::string death_text(const ArmDied& died) {
  if (!died.place) return died.message;
  return fmt::format("rank {}, after {} steps of the slice: {}", died.place->rank, died.place->step, died.message);
}

BlockOutcome outcome_of(BlockRun& run) {
  try {
    run_to_the_end(run);
  } catch (const ArmDied& died) {
    return protocol::AttemptFailed{run.task.block, run.task.attempt, died.arm, died.kind, death_text(died)};
  } catch (const Interrupted&) {
    if (run.complete_squares == 0) return protocol::GivenBack{{run.task.block}};
    run.interrupted = true;
    std::erase_if(run.samples, [&](const stats::Sample& sample) { return sample.square >= run.complete_squares; });
  }
  return result_of(run);
}

}  // namespace

BlockOutcome run_block(Arms& arms, const sweep::BlockTask& task, BlockBudget& budget) {
  BlockRun run(arms, task, budget.spreads);
  const double start = arms.now();
  run.next_news_seconds = start + news_interval_seconds;
  if (task.wall_seconds)
    run.end_seconds = start + sweep::block_seconds(budget.wall, *task.wall_seconds,
                                                   task.measure.total_seconds.value_or(*task.wall_seconds));
  budget.discoveries.forget(task.block);
  run.discoveries = std::exchange(budget.discoveries, {});
  BlockOutcome outcome = outcome_of(run);
  budget.discoveries = std::move(run.discoveries);
  budget.spreads = std::move(run.spreads);
  for (const Arm& arm : run.arms) arms.release(arm.index);
  if (task.wall_seconds) sweep::note_block(budget.wall, *task.wall_seconds, arms.now() - start);
  return outcome;
}

}  // namespace regatta::measure
