#include "measure/simulated_arms.hpp"

#include <algorithm>
#include <cmath>

#include "regatta/base/error.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

constexpr double park_seconds = 20e-6;  // to stop or to wake a process

std::int64_t whole_calls(std::int64_t steps, std::int64_t call) { return (steps + call - 1) / call * call; }

}  // namespace

SimulatedArms::SimulatedArms(std::vector<SimulatedArm> of_block) : arms(std::move(of_block)), processes_(arms.size()) {}

std::size_t SimulatedArms::count(Verb verb, std::uint32_t arm) const {
  return static_cast<std::size_t>(
      std::ranges::count_if(asked, [&](const Asked& one) { return one.verb == verb && one.arm == arm; }));
}

std::vector<Asked> SimulatedArms::slices(std::uint32_t arm, Phase phase) const {
  std::vector<Asked> found;
  std::ranges::copy_if(asked, std::back_inserter(found), [&](const Asked& one) {
    return one == Asked{Verb::slice, arm, phase};
  });
  return found;
}

void SimulatedArms::ask(const Asked& what) {
  asked.push_back(what);
  asked.back().block = block;
  before(what);
}

void SimulatedArms::expect_alone(std::uint32_t arm, bool awake) {
  for (std::uint32_t other = 0; other < processes_.size(); ++other) {
    const bool runs = processes_[other].lives && processes_[other].awake;
    if (other != arm && runs) broken_rules.push_back("arm " + std::to_string(other) + " was awake");
    if (other == arm && awake && !runs) broken_rules.push_back("arm " + std::to_string(arm) + " was not awake");
  }
}

Prepared SimulatedArms::start(std::uint32_t arm) {
  Process& process = processes_[arm];
  const double imported_seconds = process.imported_seconds;
  process = {true, false, 0, true, process.started + 1, 0, 0};
  const double seconds = arms[arm].start_seconds * start_factor(arm, process.started - 1);
  Prepared prepared{seconds, arms[arm].peak_bytes, {}, arms[arm].device_memory};
  for (const Phase phase : {Phase::start, Phase::prepare}) {
    prepared.parts.push_back({.arm = static_cast<std::uint16_t>(arm),
                              .phase = phase,
                              .steps = 0,
                              .start_seconds = now_seconds_,
                              .seconds = seconds / 2});
    const double half = (constant_clock ? arms[arm].start_seconds : seconds) / 2;
    const bool is_begun = phase == Phase::start && imported_seconds > 0;
    now_seconds_ = is_begun ? std::max(now_seconds_, imported_seconds) : now_seconds_ + half;
  }
  return prepared;
}

Prepared SimulatedArms::prepare(ArmIndex arm) {
  ask({Verb::prepare, arm.value});
  expect_alone(arm.value, false);
  return processes_[arm.value].lives ? build(arm.value) : start(arm.value);
}

/// In the process that is there: half of a start.
Prepared SimulatedArms::build(std::uint32_t arm) {
  Process& process = processes_[arm];
  process.awake = true;
  process.steps = process.since_resume = 0;
  const double seconds = arms[arm].start_seconds;
  Prepared prepared{seconds, arms[arm].peak_bytes, {}, arms[arm].device_memory};
  prepared.parts.push_back({.arm = static_cast<std::uint16_t>(arm),
                            .phase = Phase::prepare,
                            .steps = 0,
                            .start_seconds = now_seconds_,
                            .seconds = seconds / 2});
  now_seconds_ += seconds / 2;
  return prepared;
}

void SimulatedArms::begin_renewals(const std::vector<ArmIndex>& of) {
  std::vector<double> free_at(places, now_seconds_);
  for (const ArmIndex arm : of) {
    ask({Verb::begin, arm.value});
    expect_alone(arm.value, false);
    processes_[arm.value].lives = false;
    processes_[arm.value].begins = true;
    if (arm == of.front() || free_at.empty()) continue;
    const auto next = std::ranges::min_element(free_at);
    *next += arms[arm.value].start_seconds / 2;
    processes_[arm.value].imported_seconds = *next;
  }
}

Prepared SimulatedArms::renew(ArmIndex arm) {
  ask({Verb::renew, arm.value});
  expect_alone(arm.value, false);
  const bool began_beside = processes_[arm.value].begins;
  Prepared prepared = start(arm.value);
  if (began_beside) prepared.parts.clear();
  return prepared;
}

double SimulatedArms::step_seconds(std::uint32_t arm) {
  Process& process = processes_[arm];
  const bool lazy = process.steps >= 1 && process.steps <= 3;
  const bool fresh = process.steps++ < arms[arm].slow_when_fresh;
  const bool resumed = process.since_resume++ < arms[arm].slow_when_resumed;
  return arms[arm].step_seconds * (fresh ? 2 : 1) * (resumed ? 2 : 1) * (lazy ? arms[arm].lazy_factor : 1);
}

std::uint64_t SimulatedArms::resident_bytes(std::uint32_t arm) const {
  const SimulatedArm& simulated = arms[arm];
  if (simulated.seen_bytes == 0) return 0;
  return simulated.seen_bytes + simulated.kept_bytes * static_cast<std::uint64_t>(processes_[arm].steps);
}

void SimulatedArms::run_steps(SliceResult& result, std::uint32_t arm, const SliceRequest& request, Phase phase,
                              std::int64_t steps, std::int64_t group, const Disturbed& disturbed) {
  const std::int64_t call = arms[arm].steps_per_call;
  const std::int64_t each = whole_slices ? std::max<std::int64_t>(steps, 1) : whole_calls(group, call);
  for (std::int64_t left = whole_calls(steps, call); left > 0; left -= each) {
    const std::int64_t taken = std::min(left, each);
    double nominal_seconds = 0;
    for (std::int64_t step = 0; step < taken; ++step) nominal_seconds += step_seconds(arm);
    const double of_call = disturbed.each_call ? disturbed.each_call() : 0;
    const double seconds = nominal_seconds * std::exp(disturbed.log_time + of_call);
    result.samples.push_back({.slice = request.order.slice,
                              .arm = static_cast<std::uint16_t>(arm),
                              .phase = phase,
                              .flags = disturbed.flags,
                              .steps = static_cast<std::uint32_t>(taken),
                              .start_seconds = now_seconds_,
                              .seconds = seconds});
    now_seconds_ +=
        (constant_clock ? nominal_seconds : seconds) + static_cast<double>(taken) * arms[arm].unreported_seconds;
  }
}

SliceResult SimulatedArms::slice(ArmIndex arm, const SliceRequest& request) {
  ask({Verb::slice, arm.value, request.order.phase, request.order.length});
  expect_alone(arm.value, true);
  SliceResult result;
  const stats::ArmSlices& length = request.order.length;
  const std::uint32_t process = processes_[arm.value].started - 1;
  const Disturbed disturbed = noise({arm.value, process, request.order.phase, scored_});
  if (request.order.phase == Phase::steady) ++scored_;
  if (request.order.phase == Phase::steady && !std::exchange(processes_[arm.value].is_scored, true))
    result.memory.warm_bytes = resident_bytes(arm.value);
  run_steps(result, arm.value, request, Phase::reentry, length.reentry_steps, length.reentry_group, {});
  run_steps(result, arm.value, request, request.order.phase, length.steps, length.group, disturbed);
  if (!request.result.empty()) result.result = arms[arm.value].result;
  result.memory.resident_bytes = resident_bytes(arm.value);
  result.memory.peak_bytes = result.memory.resident_bytes;
  return result;
}

sweep::Learned SimulatedArms::train(ArmIndex arm, const TrainRequest& request) {
  ask({Verb::train, arm.value});
  expect_alone(arm.value, true);
  trained.push_back(request);
  return learned;
}

protocol::Checked SimulatedArms::check(ArmIndex arm, std::int64_t steps, protocol::CheckAs as) {
  ask({Verb::check, arm.value});
  expect_alone(arm.value, true);
  now_seconds_ += static_cast<double>(steps) * arms[arm.value].step_seconds;
  const SimulatedArm& of_arm = arms[arm.value];
  switch (as) {
    case protocol::CheckAs::timed:
      return {arm, of_arm.losses, of_arm.evidence, "", std::nullopt, of_arm.own_weights};
    case protocol::CheckAs::shaken:
      return {arm, of_arm.shaken};
    case protocol::CheckAs::shaken_again:
      return {arm, of_arm.shaken.empty() ? of_arm.shaken : of_arm.losses};
    case protocol::CheckAs::double_precision:
      return {arm, of_arm.exact};
  }
  throw InternalError("a check of another kind");
}

void SimulatedArms::park(ArmIndex arm) {
  ask({Verb::park, arm.value});
  processes_[arm.value].awake = false;
  now_seconds_ += park_seconds;
}

void SimulatedArms::resume(ArmIndex arm) {
  ask({Verb::resume, arm.value});
  processes_[arm.value].awake = true;
  processes_[arm.value].since_resume = 0;
  now_seconds_ += park_seconds;
}

void SimulatedArms::evict(ArmIndex arm) {
  ask({Verb::evict, arm.value});
  processes_[arm.value].lives = false;
}

void SimulatedArms::clear(ArmIndex arm) {
  ask({Verb::clear, arm.value});
  expect_alone(arm.value, false);
}

void SimulatedArms::release(ArmIndex arm) {
  asked.push_back({Verb::release, arm.value});
  processes_[arm.value].lives = false;
}

sweep::ArmOutcome SimulatedArms::report(ArmIndex arm) const {
  sweep::ArmOutcome report;
  if (processes_[arm.value].started > 0) report.environment = "simulated";
  return report;
}

void SimulatedArms::calibrate(Calibrate how, std::size_t& calibrations) {
  if (how == Calibrate::never) return;
  ask({Verb::calibrate, static_cast<std::uint32_t>(arms.size())});
  expect_alone(static_cast<std::uint32_t>(arms.size()), false);
  if (how == Calibrate::anew || calibrations == 0) ++calibrations;
}

std::optional<DevicePeaks> SimulatedArms::device_peaks(Calibrate how) {
  calibrate(how, device_calibrations_);
  if (device_calibrations_ == 0 || device_peaks_found.empty()) return std::nullopt;
  return device_peaks_found[std::min(device_calibrations_, device_peaks_found.size()) - 1];
}

std::optional<double> SimulatedArms::core_peak_flops_per_second(Calibrate how) {
  calibrate(how, calibrations_);
  if (calibrations_ == 0 || core_peaks.empty()) return std::nullopt;
  return core_peaks[std::min(calibrations_, core_peaks.size()) - 1];
}

Disturbed undecidable(const SimulatedSlice& slice) {
  if (slice.arm == 0 || slice.phase != Phase::steady) return {};
  return {.log_time = slice.process % 2 == 0 ? 0.3 : -0.3};
}

sweep::BlockTask comparison(std::size_t arms, double seconds) {
  sweep::BlockTask task;
  task.arms.resize(arms);
  for (sweep::ArmTask& arm : task.arms) arm.model = model::Noop{"noop"};
  task.attempt = {1};
  task.has_baseline = true;
  task.wanted_seconds = seconds;
  task.planning_seconds = seconds;
  return task;
}

}  // namespace regatta::measure
