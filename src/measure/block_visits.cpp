#include "measure/block_visits.hpp"

#include <algorithm>
#include <limits>

#include "measure/hardware_limit.hpp"
#include "measure/measure.hpp"
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

/// The known peaks of the cores, or of the device.
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

void begin(VisitedBlock& block) {
  BlockRun& run = block.run;
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
  if (run.living.empty() || has_nothing_to_explain(run)) return;
  block.comparison = begin_measuring(run);
  if (block.comparison) serve_pair(run, *block.comparison);
}

bool goes_on(const VisitedBlock& block) { return block.comparison && !block.comparison->is_over; }

/// The outcome of the block after `action`; nothing while it goes on.
template <class Action>
std::optional<BlockOutcome> visit(VisitedBlock& block, const Action& action) {
  BlockRun& run = block.run;
  try {
    action();
    if (goes_on(block)) return std::nullopt;
    if (!run.task.leg) {
      run.undecided = undecided_comparisons(run);
      refuse_the_impossible(run);
    }
  } catch (const ArmDied& died) {
    return failure_of(run, died);
  } catch (const Interrupted&) {
    if (run.complete_squares == 0) return protocol::GivenBack{{run.task.block}};
    run.interrupted = true;
    std::erase_if(run.samples, [&](const stats::Sample& sample) { return sample.square >= run.complete_squares; });
  }
  return result_of(run, block.told);
}

}  // namespace

std::optional<BlockOutcome> first_visit(VisitedBlock& block) {
  return visit(block, [&] { begin(block); });
}

std::optional<BlockOutcome> next_visit(VisitedBlock& block) {
  return visit(block, [&] {
    begin_pair(block.run, *block.comparison);
    serve_pair(block.run, *block.comparison);
  });
}

BlockOutcome stopped(VisitedBlock& block, sweep::WhyStopped why) {
  return *visit(block, [&] { stop(block.run, *block.comparison, why); });
}

BlockOutcome drained(VisitedBlock& block) {
  block.run.interrupted = true;
  return stopped(block, sweep::WhyStopped::interrupted);
}

}  // namespace regatta::measure
