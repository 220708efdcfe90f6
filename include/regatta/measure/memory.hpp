// The host memory that the processes of an arm were seen to use, and its growth with their steps.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "regatta/measure/arms.hpp"
#include "regatta/protocol/messages.hpp"
#include "regatta/stats/samples.hpp"

namespace regatta::measure {

/// Memory of one process. All 0: nobody looked.
struct MemoryOfProcess {
  protocol::ProcessMemory seen;
  std::int64_t steps = 0;         ///< steps that it had run then
  std::int64_t scored_steps = 0;  ///< the steps since warm_bytes was read, re-entry steps included
};

/// Takes in what was read after a slice of `phase`.
void note_memory(MemoryOfProcess& process, stats::Phase phase, const SliceResult& slice);

/// The most that one of them used, in bytes; 0: nobody looked.
std::uint64_t peak_bytes_of(std::span<const MemoryOfProcess> processes);

struct MemoryGrowth {
  double bytes_per_step = 0;  ///< after warm-up; below 0 where memory was given back
  /// Steps that a process had run when it was last read, those before its scored ones included.
  std::int64_t steps = 0;
};

/// Medians over processes; nothing where no process was read before and after scored steps.
std::optional<MemoryGrowth> memory_growth(std::span<const MemoryOfProcess> processes);

}  // namespace regatta::measure
