#include "measuring/prepare_arms.hpp"

#include <fmt/format.h>

#include "regatta/base/units.hpp"

namespace regatta::launcher {
namespace {

struct MemoryLimit {
  std::uint64_t bytes;
  std::string name;
};

MemoryLimit memory_limit(const sweep::Limits& limits, const results::Host& host) {
  if (limits.memory_bytes) return {*limits.memory_bytes, "limits.memory"};
  return {static_cast<std::uint64_t>(host.memory_bytes), "this machine's memory"};
}

}  // namespace

void prepare_arms(BlockRun& run) {
  const MemoryLimit limit = memory_limit(run.bench.sweep.limits, run.bench.host);
  std::uint64_t held_bytes = 0;
  for_each_living(run, [&](Arm& arm) {
    prepare_arm(run.bench, arm);
    const std::uint64_t its_bytes = sweep::peak_bytes(arm.report);
    if (held_bytes == 0 || held_bytes + its_bytes <= limit.bytes) {
      held_bytes += its_bytes;
      return;
    }
    if (arm.own_process) run.bench.pool.retire(arm.key);
    throw ArmEnded{sweep::Failed{
        sweep::FailureKind::out_of_memory,
        fmt::format(
            "{} beside the {} of the arms that it is compared with, together more than {}, {}; raise the limit, or "
            "compare fewer at once",
            format_size(its_bytes), format_size(held_bytes), limit.name, format_size(limit.bytes))}};
  });
}

}  // namespace regatta::launcher
