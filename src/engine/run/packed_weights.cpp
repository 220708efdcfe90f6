#include "engine/run/packed_weights.hpp"

namespace regatta::engine {

PackedWeights::~PackedWeights() {
  for (const auto& [place, memory] : panels_) backend_.release(memory);
}

void* PackedWeights::panels(std::size_t place, std::int64_t bytes) {
  const auto [found, is_new] = panels_.try_emplace(place, nullptr);
  if (is_new) {
    found->second = backend_.allocate(bytes);
    bytes_ += bytes;
  }
  return found->second;
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
