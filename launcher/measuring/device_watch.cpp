#include "measuring/device_watch.hpp"

#include <fmt/format.h>

#include <variant>

#include "os/wait.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/digest.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/log.hpp"
#include "regatta/base/units.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {
namespace {

bool is_on(const DeviceCare& care, const sweep::BlockTask& task, ArmIndex arm) {
  return task.without_device.empty() && sweep::device_kind_of(task.arms.at(arm.value).parameters) == care.device.kind;
}

constexpr double state_patience_seconds = 5;
constexpr double memory_patience_seconds = 10;
constexpr double pause_seconds = 0.2;
constexpr double noticeable_part = 0.005;   // as of a CPU quota (measuring-noise.md)
constexpr double longest_look_seconds = 2;  // time that the looks before and after a block take beside it

/// The program's output. Throws what SpawnerClient::run does, and PeerLost where it does not end well.
std::string answer_of(AgentSlot& slot, const std::vector<std::string>& argv, double patience_seconds) {
  const std::string log = slot.pool.options().log_folder + "/devices.log";
  bool timed_out = false;
  const auto exit = slot.spawner.run({slot.spawner.next_id(), argv, {}, slot.pool.options().cpus, log, 0},
                                     patience_seconds, timed_out);
  if (timed_out) throw PeerLost(fmt::format("no answer within {:.0f} s", patience_seconds));
  if (exit.wait_status == 0) return std::string(exit.printed());
  throw PeerLost(fmt::format("{} ({})", cause_of_death(exit, 0, 0).message, log_tail(log)));
}

DeviceState state_now(AgentSlot& slot) {
  try {
    const auto command = state_command(slot.inputs.worker, slot.care->device);
    return parse_device_state(answer_of(slot, command, state_patience_seconds));
  } catch (const GivenUp&) {
    return {};
  } catch (const std::runtime_error&) {
    return {};
  }
}

DeviceHealth check_now(AgentSlot& slot) {
  DeviceHealth health;
  try {
    const auto command = check_command(slot.inputs.worker, slot.care->device);
    return parse_device_health(answer_of(slot, command, check_patience_seconds), slot.care->device);
  } catch (const GivenUp&) {
    // A drain: nothing more is measured.
  } catch (const std::runtime_error& error) {
    health.problem = error.what();
  }
  return health;
}

void wait_for_memory(const DeviceCare& care, const DeviceAnswers& answers) {
  DeviceState state = answers.state();
  for (const Deadline end = Deadline::after(answers.memory_patience_seconds);
       !has_memory_back(state, care.free_bytes) && !end.passed(); state = answers.state())
    wait_readable({}, Deadline::after(pause_seconds), [] { return pause_seconds; });
  if (has_memory_back(state, care.free_bytes)) return;
  log::warn(fmt::format(
      "{} of {} that were free on the device {} are still held by {} processes. The next trials may find no memory. "
      "nvidia-smi names the processes",
      format_size(static_cast<std::uint64_t>(*care.free_bytes - *state.free_bytes)),
      format_size(static_cast<std::uint64_t>(*care.free_bytes)), care.device.uuid, state.processes.value_or(0)));
}

/// Whether heat held the clocks down for a noticeable part of the block. A time longer than the block is not believed.
bool was_hot(const protocol::BlockResult& result) {
  const double hot_seconds = sweep::figure_of(result.device.after, sweep::DeviceFigure::heat_time);
  const double seconds = result.end_wall_seconds - result.start_wall_seconds;
  return hot_seconds > noticeable_part * seconds && hot_seconds <= seconds + longest_look_seconds;
}

void note_result(DeviceCare& care, const sweep::BlockTask& task, const DeviceState& before,
                 protocol::BlockResult& result, const DeviceAnswers& answers) {
  for (const sweep::ArmOutcome& arm : result.arms) {
    if (is_on(care, task, arm.arm) && std::holds_alternative<sweep::Finished>(arm.outcome)) note_success(care);
  }
  if (!care.free_bytes) return;  // there is no NVML
  const DeviceState after = answers.state();
  result.device = readings_of(before, after);
  if (!throttling(after).empty() || was_hot(result)) result.flags.add(stats::Flag::device_throttled);
}

}  // namespace

DeviceAnswers ask_on_slot(AgentSlot& slot) {
  return {[&slot] { return state_now(slot); }, [&slot] { return check_now(slot); }};
}

bool uses_device(const DeviceCare& care, const sweep::BlockTask& task) {
  for (std::uint32_t i = 0; i < task.arms.size(); ++i) {
    if (is_on(care, task, {i})) return true;
  }
  return false;
}

DeviceState look_before(const DeviceCare& care, const sweep::BlockTask& task, const DeviceAnswers& answers) {
  const bool is_asked = care.free_bytes && care.set_aside.empty() && uses_device(care, task);
  return is_asked ? answers.state() : DeviceState{};
}

void watch_device(DeviceCare& care, const sweep::BlockTask& task, const DeviceState& before,
                  measure::BlockOutcome& outcome, const DeviceAnswers& answers) {
  if (!care.set_aside.empty() || !uses_device(care, task)) return;
  if (auto* result = std::get_if<protocol::BlockResult>(&outcome))
    return note_result(care, task, before, *result, answers);
  const auto* failed = std::get_if<protocol::AttemptFailed>(&outcome);
  if (failed == nullptr || !is_on(care, task, failed->arm)) return;
  wait_for_memory(care, answers);
  const std::string trial = fmt::format("{} {}", to_string(task.hash), failed->arm.value);
  note_failure(care, trial, failed->message, answers.check());
}

}  // namespace regatta::launcher
