#include "regatta/measure/memory.hpp"

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "regatta/stats/summaries.hpp"

namespace regatta::measure {

void note_memory(MemoryOfProcess& process, stats::Phase phase, const SliceResult& slice) {
  const protocol::ProcessMemory& memory = slice.memory;
  if (memory.peak_bytes == 0) return;
  std::int64_t steps = 0;
  for (const stats::Sample& sample : slice.samples) steps += sample.steps;
  process.steps += steps;
  process.seen.peak_bytes = std::max(process.seen.peak_bytes, memory.peak_bytes);
  process.seen.resident_bytes = memory.resident_bytes;
  if (memory.warm_bytes > 0) process.seen.warm_bytes = memory.warm_bytes;
  if (phase == stats::Phase::steady) process.scored_steps += steps;
}

std::uint64_t peak_bytes_of(std::span<const MemoryOfProcess> processes) {
  std::uint64_t most = 0;
  for (const MemoryOfProcess& process : processes) most = std::max(most, process.seen.peak_bytes);
  return most;
}

std::optional<MemoryGrowth> memory_growth(std::span<const MemoryOfProcess> processes) {
  std::vector<double> growth;
  std::vector<double> steps;
  for (const MemoryOfProcess& process : processes) {
    const protocol::ProcessMemory& seen = process.seen;
    if (seen.warm_bytes == 0 || seen.resident_bytes == 0 || process.scored_steps == 0) continue;
    const double grown = static_cast<double>(seen.resident_bytes) - static_cast<double>(seen.warm_bytes);
    growth.push_back(grown / static_cast<double>(process.scored_steps));
    steps.push_back(static_cast<double>(process.steps));
  }
  if (growth.empty()) return std::nullopt;
  return MemoryGrowth{stats::median(std::move(growth)), std::llround(stats::median(std::move(steps)))};
}

}  // namespace regatta::measure
