#include <fmt/format.h>

#include <algorithm>

#include "measure/measure.hpp"
#include "regatta/base/units.hpp"

namespace regatta::measure {
namespace {

struct MemoryLimit {
  std::uint64_t bytes;
  std::string name;
};

MemoryLimit memory_limit(const BlockRun& run) {
  if (run.task.limits.memory_bytes) return {*run.task.limits.memory_bytes, "limits.memory"};
  return {run.port.memory_bytes(), "this machine's memory"};
}

/// The memory that an arm needs.
struct Need {
  std::uint64_t parked_bytes = 0;   ///< while another arm runs
  std::uint64_t running_bytes = 0;  ///< while it runs
  [[nodiscard]] std::uint64_t rise_bytes() const { return running_bytes - std::min(running_bytes, parked_bytes); }
};

/// One memory, and what the arms that were admitted hold of it. One of them runs at a time.
struct Held {
  MemoryLimit limit;
  std::uint64_t bytes = 0;
  std::uint64_t largest_rise_bytes = 0;

  [[nodiscard]] bool holds(const Need& need) const {
    return bytes == 0 || bytes + need.parked_bytes + std::max(largest_rise_bytes, need.rise_bytes()) <= limit.bytes;
  }
  void add(const Need& need) {
    bytes += need.parked_bytes;
    largest_rise_bytes = std::max(largest_rise_bytes, need.rise_bytes());
  }
};

[[noreturn]] void refuse(BlockRun& run, const Arm& arm, const Held& held, const Need& need, const char* way_out) {
  run.port.evict(arm.index);
  throw ArmEnded{
      sweep::Failed{sweep::FailureKind::out_of_memory,
                    fmt::format("{} beside the {} of the arms that it is compared with, together more than {}, {}; {}",
                                format_size(need.running_bytes), format_size(held.bytes), held.limit.name,
                                format_size(held.limit.bytes), way_out)}};
}

/// Nothing where the arm computes in the host's memory, or its device does not tell what it has.
Need need_of_device(const Arm& arm) {
  if (!arm.device_memory || arm.device_memory->limit == 0) return {};
  return {arm.device_memory->held, arm.device_memory->held};
}

/// The memory that was seen once the arm has run steps; before, the memory that its workers said they need.
Need need_of_host(const Arm& arm) {
  const protocol::ProcessMemory seen = arm.memory.empty() ? protocol::ProcessMemory{} : arm.memory.back().seen;
  if (seen.peak_bytes == 0) return {arm.peak_bytes, arm.peak_bytes};
  return {seen.resident_bytes, seen.peak_bytes};
}

constexpr const char* raise_the_limit = "raise the limit, or compare fewer at once";

}  // namespace

void prepare_arms(BlockRun& run) {
  Held host{memory_limit(run)};
  Held device{{0, "the memory of the device"}};
  for_each_living(run, [&](Arm& arm) {
    leave_if_interrupted(run);
    prepare_arm(run, arm);
    tell_beginning(run);
    const Need on_host = need_of_host(arm);
    const Need on_device = need_of_device(arm);
    if (on_device.running_bytes > 0) device.limit.bytes = arm.device_memory->limit;
    if (!host.holds(on_host)) refuse(run, arm, host, on_host, raise_the_limit);
    if (!device.holds(on_device)) refuse(run, arm, device, on_device, "compare fewer at once, or take a smaller batch");
    host.add(on_host);
    device.add(on_device);
  });
}

void refuse_what_outgrew_memory(BlockRun& run) {
  Held host{memory_limit(run)};
  for_each_living(run, [&](Arm& arm) {
    const Need need = need_of_host(arm);
    if (!arm.is_program() && !host.holds(need)) refuse(run, arm, host, need, raise_the_limit);
    host.add(need);
  });
}

}  // namespace regatta::measure
