#include "regatta/measure/block_run.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <optional>
#include <string>

#include "regatta/stats/coarsen.hpp"
#include "regatta/stats/process_pairs.hpp"

namespace regatta::measure {
namespace {

constexpr std::size_t most_samples = 300'000;  // in a block: they travel in one message of 16 MiB at most

std::string compared_result(const BlockRun& run) {
  return run.task.measure.result ? run.task.measure.result->name : std::string();
}

void note_slice_memory(const BlockRun& run, Arm& arm, stats::Phase phase, const SliceResult& slice) {
  if (arm.memory.empty() || arm.is_program()) arm.memory.emplace_back();
  note_memory(arm.memory.back(), phase, slice);
  if (arm.process_values.empty() || run.task.measure.metric != sweep::Metric::peak_memory) return;
  double& of_process = arm.process_values.back();
  of_process = std::max(of_process, static_cast<double>(slice.memory.peak_bytes));
}

/// The value of a process before it tells a result, or uses memory. It is not 0 for results: a result of zero is one.
double no_value(const BlockRun& run) {
  return run.task.measure.metric == sweep::Metric::result ? std::numeric_limits<double>::quiet_NaN() : 0;
}

/// The last one that a process tells counts.
void note_result(Arm& arm, std::optional<double> result) {
  if (result && !arm.process_values.empty()) arm.process_values.back() = *result;
}

/// The first block of a tour in which the arm's process is seen keeps how it started, and the others repeat it.
void share_start(Tour& tour, std::uint32_t place, std::vector<stats::Sample>& parts) {
  const auto start = std::ranges::find_if(parts, [](const auto& part) { return part.phase == stats::Phase::start; });
  const bool has_started = start != parts.end();
  const auto [known, is_first] = tour.started.try_emplace(place, has_started ? std::optional(*start) : std::nullopt);
  if (is_first) return;
  if (has_started)
    known->second = *start;  // the one before it has ended
  else if (!parts.empty() && known->second)
    parts.insert(parts.begin(), *known->second);
}

void take_in(BlockRun& run, Arm& arm, Prepared prepared) {
  arm.is_prepared = true;
  arm.peak_bytes = std::max(arm.peak_bytes, prepared.peak_bytes);
  arm.memory.emplace_back();
  arm.device_memory = prepared.device_memory;
  if (run.tour != nullptr) share_start(*run.tour, arm.index.value, prepared.parts);
  if (prepared.parts.empty()) return;
  arm.start_seconds = prepared.start_seconds;
  for (const stats::Sample& part : prepared.parts)
    if (part.phase == stats::Phase::prepare) arm.import_seconds = std::max(0.0, prepared.start_seconds - part.seconds);
  for (stats::Sample& part : prepared.parts) part.slice = run.slices;
  ++run.slices;
  run.samples.insert(run.samples.end(), prepared.parts.begin(), prepared.parts.end());
}

}  // namespace

BlockRun::BlockRun(Arms& arms_of_block, const sweep::BlockTask& task_of_block, const stats::SpreadPool& spreads_before)
    : port(arms_of_block), task(task_of_block), spreads(spreads_before), arms(task_of_block.arms.size()) {
  for (std::uint32_t i = 0; i < arms.size(); ++i) {
    arms[i].index = {i};
    arms[i].task = &task.arms[i];
    living.push_back(i);
  }
  for (const sweep::DroppedArm& drop : task.dropped)
    end_arm(*this, arms.at(drop.arm.value), sweep::Failed{drop.kind, drop.message});
}

bool BlockRun::is_living(std::size_t at) const { return std::ranges::find(living, at) != living.end(); }

bool BlockRun::is_sequential() const {
  return task.has_baseline && is_living(0) && living.size() > 1 && !task.measure.slices;
}

double start_seconds(const Arm& arm) {
  return arm.start_seconds + arm.first_step_seconds + static_cast<double>(arm.warmup_steps) * arm.step_seconds;
}

double start_seconds(const BlockRun& run) {
  double seconds = 0;
  for (const std::size_t at : run.living) seconds += start_seconds(run.arms[at]);
  return seconds;
}

double start_seconds_side_by_side(const BlockRun& run) {
  std::vector<double> imports;
  for (const std::size_t at : run.living) imports.push_back(run.arms[at].import_seconds);
  const double rest = start_seconds(run) - std::accumulate(imports.begin(), imports.end(), 0.0);
  return stats::side_by_side_seconds(imports, rest, run.port.places_beside());
}

void park_awake(BlockRun& run) {
  if (run.awake) run.port.park(run.arms[*run.awake].index);
  run.awake.reset();
}

void wake_arm(BlockRun& run, const Arm& arm) {
  if (run.awake == arm.index.value) return;
  park_awake(run);
  run.port.resume(arm.index);
  run.awake = arm.index.value;
}

void prepare_arm(BlockRun& run, Arm& arm) {
  park_awake(run);
  run.awake = arm.index.value;  // also if it fails: what it started must be parked
  take_in(run, arm, run.port.prepare(arm.index));
}

void renew_arm(BlockRun& run, Arm& arm) {
  if (run.awake != arm.index.value) park_awake(run);
  run.awake = arm.index.value;
  Prepared prepared = needs_process(run, arm) ? run.port.renew(arm.index) : run.port.prepare(arm.index);
  arm.process_values.push_back(no_value(run));
  take_in(run, arm, std::move(prepared));
}

bool needs_process(const BlockRun& run, const Arm& arm) {
  return run.tour == nullptr || !run.tour->started.contains(arm.index.value);
}

void begin_renewals(BlockRun& run, const std::vector<std::size_t>& turn) {
  park_awake(run);
  std::vector<ArmIndex> arms;
  for (const std::size_t at : turn) {
    const Arm& arm = run.arms[at];
    if (run.is_living(at) && !arm.is_program() && needs_process(run, arm)) arms.push_back(arm.index);
  }
  if (!arms.empty()) run.port.begin_renewals(arms);
}

protocol::Checked check_arm(BlockRun& run, Arm& arm, std::int64_t steps, protocol::CheckAs as) {
  wake_arm(run, arm);
  return run.port.check(arm.index, steps, as);
}

double take_slice(BlockRun& run, Arm& arm, stats::Phase phase, const stats::ArmSlices& length, std::uint16_t square) {
  wake_arm(run, arm);
  SliceResult slice = run.port.slice(arm.index, {{phase, run.slices++, length}, compared_result(run)});
  if (arm.is_program() && phase == stats::Phase::steady) arm.process_values.push_back(no_value(run));
  note_slice_memory(run, arm, phase, slice);
  if (phase == stats::Phase::steady) note_result(arm, slice.result);
  double seconds = 0;
  std::int64_t steps = 0;
  for (stats::Sample& sample : slice.samples) {
    sample.square = square;
    if (sample.phase != phase) continue;
    seconds += sample.seconds;
    steps += sample.steps;
  }
  run.samples.insert(run.samples.end(), slice.samples.begin(), slice.samples.end());
  if (run.samples.size() > most_samples) stats::join_neighbours(run.samples);
  if (steps == 0) return 0;
  const double step_seconds = seconds / static_cast<double>(steps);
  if (phase == stats::Phase::steady) arm.scored_step_seconds.push_back(step_seconds);
  return step_seconds * static_cast<double>(length.steps);
}

void end_arm(BlockRun& run, Arm& arm, const sweep::Outcome& outcome) {
  arm.outcome = outcome;
  std::erase(run.living, arm.index.value);
}

bool has_room(const BlockRun& run, std::size_t samples) { return run.samples.size() + samples <= most_samples; }

void leave_if_interrupted(const BlockRun& run) {
  if (run.port.interrupted()) throw Interrupted{};
}

}  // namespace regatta::measure
