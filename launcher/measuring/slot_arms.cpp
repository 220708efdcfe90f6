#include "measuring/slot_arms.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "measuring/calibration.hpp"
#include "measuring/command_arm.hpp"
#include "measuring/gang_arm.hpp"
#include "measuring/worker_arm.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/own_paths.hpp"
#include "regatta/measure/foreseen.hpp"
#include "regatta/sweep/capabilities.hpp"

namespace regatta::launcher {
namespace {

/// A process that cannot be started ends its arm; one that dies ends the attempt; a drain that cannot wait ends both.
template <class Action>
auto of_arm(const AgentSlot& slot, ArmIndex arm, const Action& action) {
  if (slot.spawner.gave_up()) throw measure::Interrupted{};
  try {
    return action();
  } catch (const WorkerDied& died) {
    if (died.kind == sweep::FailureKind::could_not_start)
      throw measure::ArmEnded{sweep::Failed{died.kind, died.what()}};
    throw measure::ArmDied{arm, died.kind, died.what()};
  } catch (const GivenUp&) {
    throw measure::Interrupted{};
  }
}

std::optional<results::Calibration> measured(AgentSlot& slot, const CalibrationSite& site) {
  slot.pool.pause_others(nullptr);
  try {
    return measure_calibration(site, slot.spawner, slot.pool.options().log_folder + "/calibrate.log");
  } catch (const GivenUp&) {
    throw measure::Interrupted{};
  }
}

std::optional<results::DeviceRates> measured(AgentSlot& slot, const DeviceSite& site) {
  slot.pool.pause_others(nullptr);
  try {
    return measure_device_rates(site, slot.spawner, slot.pool.options().log_folder + "/calibrate-device.log");
  } catch (const GivenUp&) {
    throw measure::Interrupted{};
  }
}

std::unique_ptr<ProcessArm> make_arm(AgentSlot& slot, const sweep::BlockTask& task, const ArmPlace& place,
                                     const GangLink& gang) {
  const sweep::ArmTask& arm = task.arms.at(place.index.value);
  if (arm.command)
    return make_command_arm(slot, arm, place, task.limits.retry_timeouts ? Timeouts::attempt : Timeouts::fail);
  const std::int64_t ranks = integer_or(arm.parameters, sweep::Param::ranks, 1);
  if (ranks > 1 && ranks <= std::ssize(task.gang)) return make_gang_arm(slot, task, place, gang);
  return make_worker_arm(slot, arm, place);  // one of more ranks than there are agents is not run
}

/// Why an arm is not run by who was granted its block; nothing if it is.
std::optional<sweep::Skipped> why_not_run(const sweep::BlockTask& task, const sweep::Parameters& parameters,
                                          std::int64_t cores) {
  const bool on_device = sweep::device_kind_of(parameters) != sweep::DeviceKind::cpu;
  if (on_device && !task.without_device.empty())
    return sweep::Skipped{task.without_device, sweep::SkipKind::not_answerable};
  const std::int64_t threads = sweep::threads_of(parameters);
  if (threads > cores) return sweep::too_few_cores(threads, cores);
  const std::int64_t ranks = integer_or(parameters, sweep::Param::ranks, 1);
  const auto agents = std::max<std::int64_t>(1, std::ssize(task.gang));
  if (ranks <= agents) return {};
  return sweep::too_few_ranks(ranks, threads, agents);
}

}  // namespace

SlotArms::SlotArms(AgentSlot& slot, const sweep::BlockTask& task, BlockLine line)
    : slot_(slot), stopped_before_seconds_(slot.spawner.stopped_seconds()), line_(std::move(line)) {
  for (std::uint32_t i = 0; i < task.arms.size(); ++i) {
    arms_.push_back(make_arm(slot, task, {{i}, task.arms.size() > 1, task.leg.has_value(), task.hash}, line_.gang));
    skip_.push_back(why_not_run(task, task.arms[i].parameters, std::ssize(slot.pool.options().cpus)));
  }
}

bool SlotArms::send_ahead(const sweep::BlockTask& task) {
  const std::vector<measure::SliceRequest> slices = measure::foreseen_slices(task);
  if (slices.empty() || skip_.front()) return false;
  try {
    return of_arm(slot_, {0}, [&] { return arms_.front()->send_ahead(slices); });
  } catch (const measure::ArmEnded&) {
    return false;  // it ends so again when it is prepared
  }
}

measure::Prepared SlotArms::prepare(ArmIndex arm) {
  if (skip_.at(arm.value)) throw measure::ArmEnded{*skip_.at(arm.value)};
  return of_arm(slot_, arm, [&] { return arms_[arm.value]->prepare(); });
}

/// Sets of cores that are enough for any of the arms that are run.
std::vector<SlotArms::Cores> SlotArms::cores_beside() const {
  std::int64_t threads = 1;
  for (std::size_t i = 0; i < arms_.size(); ++i)
    if (!skip_[i]) threads = std::max(threads, arms_[i]->threads());
  return slot_.pool.cpus_beside(threads);
}

std::size_t SlotArms::places_beside() const { return cores_beside().size(); }

// The first one starts on its own cores when it is renewed; meanwhile others begin.
void SlotArms::begin_renewals(const std::vector<ArmIndex>& arms) {
  for (const ArmIndex arm : arms) arms_[arm.value]->evict();
  free_ = cores_beside();
  beginning_.clear();
  to_renew_ = {arms.begin(), arms.end()};
  to_begin_.assign(arms.rbegin(), arms.rend());
  if (!to_begin_.empty()) to_begin_.pop_back();
  while (!to_begin_.empty() && !free_.empty()) begin_next();
}

/// One that does not start will be started again when it is renewed, and then tell why.
void SlotArms::begin_next() {
  const ArmIndex arm = to_begin_.back();
  to_begin_.pop_back();
  try {
    if (!arms_[arm.value]->begin(free_.front())) return;
  } catch (const WorkerDied&) {
    return;
  }
  beginning_[arm] = std::move(free_.front());
  free_.erase(free_.begin());
}

measure::Prepared SlotArms::renew(ArmIndex arm) {
  try {
    return of_arm(slot_, arm, [&] {
      if (arms_[arm.value]->await_begun()) free_.push_back(std::move(beginning_.at(arm)));
      std::erase(to_begin_, arm);  // it starts now
      while (!to_begin_.empty() && !free_.empty()) begin_next();
      measure::Prepared prepared = arms_[arm.value]->renew();
      if (to_renew_.erase(arm) > 0) prepared.parts.clear();  // another one began meanwhile: no cold start
      return prepared;
    });
  } catch (const measure::ArmEnded&) {
    arms_[arm.value]->evict();  // it may have begun only
    throw;
  }
}

measure::SliceResult SlotArms::slice(ArmIndex arm, const measure::SliceRequest& request) {
  other_run_ = beside_other_run();
  return of_arm(slot_, arm, [&] { return arms_[arm.value]->slice(request); });
}

sweep::Learned SlotArms::train(ArmIndex arm, const measure::TrainRequest& request) {
  return of_arm(slot_, arm, [&] { return arms_[arm.value]->train(request); });
}

protocol::Checked SlotArms::check(ArmIndex arm, std::int64_t steps, protocol::CheckAs as) {
  return of_arm(slot_, arm, [&] { return arms_[arm.value]->check(steps, as); });
}

void SlotArms::park(ArmIndex arm) { arms_[arm.value]->park(); }

void SlotArms::resume(ArmIndex arm) { arms_[arm.value]->resume(); }

void SlotArms::evict(ArmIndex arm) { arms_[arm.value]->evict(); }

void SlotArms::clear(ArmIndex arm) {
  try {
    arms_[arm.value]->clear();
  } catch (const WorkerDied&) {
    // The next block of the tour starts a fresh worker.
  } catch (const GivenUp&) {
    // The same.
  }
}

void SlotArms::release(ArmIndex arm) {
  try {
    arms_[arm.value]->release();
  } catch (const WorkerDied&) {
    // Nothing is measured any more; the next block starts a fresh worker.
  } catch (const GivenUp&) {
    // The same.
  }
}

sweep::ArmOutcome SlotArms::report(ArmIndex arm) const { return arms_[arm.value]->report(); }

std::uint64_t SlotArms::memory_bytes() const { return static_cast<std::uint64_t>(slot_.host.memory_bytes); }

std::optional<double> SlotArms::core_peak_flops_per_second(measure::Calibrate how) {
  const CalibrationSite site{slot_.host, slot_.pool.options().cpus, slot_.inputs.worker};
  if (how == measure::Calibrate::once && !slot_.calibration_tried) {
    slot_.calibration_tried = true;
    slot_.calibration = load_or_measure_calibration(site, user_cache_folder(), [&] { return measured(slot_, site); });
  }
  if (how == measure::Calibrate::anew) {
    if (auto again = measured(slot_, site)) {
      if (slot_.calibration) again->device = slot_.calibration->device;
      slot_.calibration = std::move(again);
    }
  }
  if (!slot_.calibration) return std::nullopt;
  return slot_.calibration->core_peak_flops_per_second;
}

// The rates of a device stand beside those of the slot's cores, which are found first.
std::optional<measure::DevicePeaks> SlotArms::device_peaks(measure::Calibrate how) {
  if (!slot_.device || slot_.device->uuid.empty()) return std::nullopt;
  if (how != measure::Calibrate::never) core_peak_flops_per_second(measure::Calibrate::once);
  if (!slot_.calibration) return std::nullopt;
  const DeviceSite site{*slot_.device, slot_.pool.options().cpus, slot_.inputs.worker};
  const auto measure = [&] { return measured(slot_, site); };
  std::optional<results::DeviceRates> found;
  if (how == measure::Calibrate::anew) found = measure();
  if (how == measure::Calibrate::once && !std::exchange(slot_.device_calibration_tried, true))
    found = load_or_measure_device_rates(site, user_cache_folder(), measure);
  if (found) {
    slot_.calibration->device = *found;
    slot_.calibration_reported = false;
  }
  const results::DeviceRates& rates = slot_.calibration->device;
  if (rates.uuid.empty()) return std::nullopt;
  return measure::DevicePeaks{rates.fp32_flops_per_second, rates.tf32_flops_per_second, rates.bf16_flops_per_second};
}

/// Without the time in which the job was suspended: nothing was measured then.
double SlotArms::now() const { return steady_seconds() - slot_.spawner.stopped_seconds(); }

}  // namespace regatta::launcher
