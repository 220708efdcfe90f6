#include "engine/run/packed_weights.hpp"

namespace regatta::engine {

void* PackedWeights::panels(std::size_t place, std::int64_t bytes) {
  if (void* const there = find(place); there != nullptr) return there;
  void* const memory = backend_.allocate(bytes);
  panels_.try_emplace(place, memory, Release{&backend_});
  bytes_ += bytes;
  return memory;
}

void* PackedWeights::find(std::size_t place) const {
  const auto found = panels_.find(place);
  return found == panels_.end() ? nullptr : found->second.get();
}

void PackedWeights::add(std::size_t place, const Call& pack) {
  if (calls_.try_emplace(place, pack).second) recording_.reset();
}

void PackedWeights::pack() {
  if (calls_.empty()) return;
  if (!recording_) {
    std::vector<Call> calls;
    for (const auto& [place, call] : calls_) calls.push_back(call);
    recording_ = backend_.record(calls);
  }
  backend_.replay(*recording_);
}

}  // namespace regatta::engine
