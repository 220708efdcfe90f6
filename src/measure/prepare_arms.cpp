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

}  // namespace

void prepare_arms(BlockRun& run) {
  const MemoryLimit limit = memory_limit(run);
  std::uint64_t held_bytes = 0;
  for_each_living(run, [&](Arm& arm) {
    leave_if_interrupted(run);
    prepare_arm(run, arm);
    tell_beginning(run);
    if (held_bytes == 0 || held_bytes + arm.peak_bytes <= limit.bytes) {
      held_bytes += arm.peak_bytes;
      return;
    }
    run.port.evict(arm.index);
    throw ArmEnded{sweep::Failed{
        sweep::FailureKind::out_of_memory,
        fmt::format(
            "{} beside the {} of the arms that it is compared with, together more than {}, {}; raise the limit, or "
            "compare fewer at once",
            format_size(arm.peak_bytes), format_size(held_bytes), limit.name, format_size(limit.bytes))}};
  });
}

}  // namespace regatta::measure
