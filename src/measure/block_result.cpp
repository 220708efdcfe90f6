#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "measure/measure.hpp"
#include "regatta/measure/memory.hpp"

namespace regatta::measure {
namespace {

std::string death_text(const ArmDied& died) {
  if (!died.place) return died.message;
  return fmt::format("rank {}, after {} steps of the slice: {}", died.place->rank, died.place->step, died.message);
}

/// Notes the memory that its processes were seen to use, or else the memory that their workers said they need.
void note_memory(sweep::ArmOutcome& report, const Arm& arm) {
  const std::uint64_t seen = peak_bytes_of(arm.memory);
  sweep::note_peak_bytes(report, seen > 0 ? seen : arm.peak_bytes);
  const std::optional<MemoryGrowth> growth = memory_growth(arm.memory);
  if (!growth) return;
  sweep::set(report.facts, sweep::Fact::memory_growth, growth->bytes_per_step);
  sweep::set(report.facts, sweep::Fact::memory_steps, growth->steps);
}

sweep::ArmOutcome arm_outcome(const BlockRun& run, const Arm& arm) {
  sweep::ArmOutcome report = run.port.report(arm.index);
  report.arm = arm.index;
  report.outcome = arm.outcome;
  note_memory(report, arm);
  if (arm.device_memory)
    sweep::set(report.facts, sweep::Fact::device_bytes, static_cast<std::int64_t>(arm.device_memory->held));
  report.learned = arm.learned;
  sweep::set(report.facts, sweep::Fact::why_stopped, arm.why_stopped);
  if (run.task.measure.metric == sweep::Metric::peak_memory) {
    const std::vector<double>& peaks = arm.process_values;
    sweep::set(report.facts, sweep::Fact::process_peaks, sweep::ProcessPeaks(peaks.begin(), peaks.end()));
  }
  if (arm.verified != sweep::Verified::unchecked || !arm.verified_detail.empty())
    sweep::set_verified(report, arm.verified, arm.verified_detail);
  return report;
}

/// A later reader numbers them on.
std::vector<stats::Sample> samples_since(const BlockRun& run, const ToldOf& told) {
  if (told.slices == 0) return run.samples;
  std::vector<stats::Sample> samples;
  for (stats::Sample sample : run.samples) {
    if (sample.slice < told.slices) continue;
    sample.slice -= told.slices;
    if (sample.square >= told.squares) sample.square = static_cast<std::uint16_t>(sample.square - told.squares);
    samples.push_back(sample);
  }
  return samples;
}

}  // namespace

protocol::BlockResult result_of(const BlockRun& run, ToldOf& told) {
  protocol::BlockResult result;
  result.block = run.task.block;
  result.attempt = run.task.attempt;
  for (const Arm& arm : run.arms) result.arms.push_back(arm_outcome(run, arm));
  result.undecided = run.undecided;
  result.interrupted = run.interrupted;
  result.samples = samples_since(run, told);
  told = {run.slices, static_cast<std::uint16_t>(run.complete_squares)};
  return result;
}

protocol::AttemptFailed failure_of(const BlockRun& run, const ArmDied& died) {
  return {run.task.block, run.task.attempt, died.arm, died.kind, death_text(died)};
}

}  // namespace regatta::measure
