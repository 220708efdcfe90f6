#include <algorithm>

#include "engine/ir/ir.hpp"
#include "engine/passes/passes.hpp"

namespace regatta::engine {

namespace {

struct Lifetime {
  BufferIndex buffer;
  std::int64_t bytes;
  std::size_t first, last;  ///< operations
  std::int64_t offset = 0;
};

std::vector<Lifetime> lifetimes(const std::vector<Op>& ops, const std::vector<BufferSpec>& buffers) {
  std::vector<Lifetime> all;
  std::vector<std::size_t> place(buffers.size(), buffers.size());
  for (std::size_t i = 0; i < ops.size(); ++i) {
    for (const BufferIndex index : ops[i].operands) {
      if (index == kNoBuffer) continue;
      const auto at = static_cast<std::size_t>(index);
      if (buffers[at].role != Role::temporary) continue;
      if (place[at] == buffers.size()) {
        place[at] = all.size();
        all.push_back({index, aligned(buffers[at].bytes), i, i});
      }
      all[place[at]].last = i;
    }
  }
  return all;
}

/// Lowest offset at which `wanted` collides with none of `placed` (sorted by offset).
std::int64_t lowest_gap(const Lifetime& wanted, const std::vector<Lifetime>& placed) {
  std::int64_t offset = 0;
  for (const Lifetime& other : placed) {
    const bool together = other.first <= wanted.last && wanted.first <= other.last;
    if (!together || other.offset + other.bytes <= offset) continue;
    if (offset + wanted.bytes <= other.offset) break;
    offset = other.offset + other.bytes;
  }
  return offset;
}

}  // namespace

ArenaPlan pack_arena(const std::vector<Op>& ops, const std::vector<BufferSpec>& buffers) {
  std::vector<Lifetime> waiting = lifetimes(ops, buffers);
  std::stable_sort(waiting.begin(), waiting.end(),
                   [](const Lifetime& a, const Lifetime& b) { return a.bytes > b.bytes; });
  ArenaPlan plan{0, std::vector<std::int64_t>(buffers.size(), -1)};
  std::vector<Lifetime> placed;
  for (Lifetime& lifetime : waiting) {
    lifetime.offset = lowest_gap(lifetime, placed);
    plan.offsets[static_cast<std::size_t>(lifetime.buffer)] = lifetime.offset;
    plan.bytes = std::max(plan.bytes, lifetime.offset + lifetime.bytes);
    placed.insert(std::upper_bound(placed.begin(), placed.end(), lifetime,
                                   [](const Lifetime& a, const Lifetime& b) { return a.offset < b.offset; }),
                  lifetime);
  }
  return plan;
}

}  // namespace regatta::engine
