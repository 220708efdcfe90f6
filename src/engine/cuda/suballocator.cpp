#include <algorithm>
#include <iterator>

#include "engine/cuda/cuda.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

Suballocator::Suballocator(std::int64_t bytes, std::int64_t alignment) : alignment_(alignment) {
  if (bytes >= alignment) gaps_[0] = bytes / alignment * alignment;
}

std::optional<std::int64_t> Suballocator::take(std::int64_t bytes) {
  const std::int64_t size = std::max<std::int64_t>(1, (bytes + alignment_ - 1) / alignment_) * alignment_;
  auto best = gaps_.end();
  for (auto gap = gaps_.begin(); gap != gaps_.end(); ++gap) {
    if (gap->second >= size && (best == gaps_.end() || gap->second < best->second)) best = gap;
  }
  if (best == gaps_.end()) return std::nullopt;
  const auto [offset, room] = *best;
  taken_[offset] = size;
  gaps_.erase(best);
  if (room > size) gaps_[offset + size] = room - size;
  return offset;
}

void Suballocator::give(std::int64_t offset) {
  const auto taken = taken_.find(offset);
  expect(taken != taken_.end(), "memory that is given back was taken");
  std::int64_t size = taken->second;
  taken_.erase(taken);
  const auto next = gaps_.find(offset + size);
  if (next != gaps_.end()) {
    size += next->second;
    gaps_.erase(next);
  }
  const auto behind = gaps_.lower_bound(offset);
  if (behind != gaps_.begin()) {
    const auto before = std::prev(behind);
    if (before->first + before->second == offset) {
      before->second += size;
      return;
    }
  }
  gaps_[offset] = size;
}

}  // namespace regatta::engine::cuda
