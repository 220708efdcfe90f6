#include "measure/prepare_arms.hpp"

#include <fmt/format.h>

#include "measure/news.hpp"
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

/// One memory, and what the arms that were admitted hold of it.
struct Held {
  MemoryLimit limit;
  std::uint64_t bytes = 0;

  [[nodiscard]] bool holds(std::uint64_t more) const { return bytes == 0 || bytes + more <= limit.bytes; }
};

[[noreturn]] void refuse(BlockRun& run, const Arm& arm, const Held& held, std::uint64_t bytes, const char* way_out) {
  run.port.evict(arm.index);
  throw ArmEnded{
      sweep::Failed{sweep::FailureKind::out_of_memory,
                    fmt::format("{} beside the {} of the arms that it is compared with, together more than {}, {}; {}",
                                format_size(bytes), format_size(held.bytes), held.limit.name,
                                format_size(held.limit.bytes), way_out)}};
}

/// Nothing where the arm computes in the host's memory, or its device does not tell what it has.
std::uint64_t device_bytes(const Arm& arm) {
  return arm.device_memory && arm.device_memory->limit > 0 ? arm.device_memory->held : 0;
}

}  // namespace

void prepare_arms(BlockRun& run) {
  Held host{memory_limit(run)};
  Held device{{0, "the memory of the device"}};
  for_each_living(run, [&](Arm& arm) {
    leave_if_interrupted(run);
    prepare_arm(run, arm);
    tell_beginning(run);
    const std::uint64_t on_device = device_bytes(arm);
    if (on_device > 0) device.limit.bytes = arm.device_memory->limit;
    if (!host.holds(arm.peak_bytes))
      refuse(run, arm, host, arm.peak_bytes, "raise the limit, or compare fewer at once");
    if (!device.holds(on_device)) refuse(run, arm, device, on_device, "compare fewer at once, or take a smaller batch");
    host.bytes += arm.peak_bytes;
    device.bytes += on_device;
  });
}

}  // namespace regatta::measure
