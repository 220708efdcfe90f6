#include "engine/cuda/transfers.hpp"

#include <algorithm>
#include <iterator>

namespace regatta::engine::cuda {

namespace {

constexpr std::int64_t kWriteBytes = std::int64_t{4} << 20;   // at once: the host fills a piece while one is copied
constexpr std::int64_t kViewsBytes = std::int64_t{64} << 20;  // pinned memory in copies that are kept
constexpr std::size_t kLeastViews = 4;                        // are kept whatever their size

}  // namespace

Imports::Imports(Transfers how, MemoryPieces& memory, cudaStream_t compute)
    : how_(how), memory_(memory), compute_(compute) {
  if (how == Transfers::overlapped) copies_ = make_stream();
}

Imports::~Imports() {
  for (const auto& [number, slot] : slots_) {
    for (void* const place : slot.places) memory_.release(place);
  }
}

void* Imports::import(int number, const void* host, std::int64_t bytes) {
  Slot& slot = slots_[number];
  if (slot.bytes < bytes) make_room(slot, bytes);
  if (how_ == Transfers::overlapped) return import_beside(slot, host, bytes);
  void* const place = slot.places[0];
  if (how_ == Transfers::pinned) {
    slot.staging.copy(place, host, bytes, compute_);
  } else {
    require(cudaMemcpyAsync(place, host, static_cast<std::size_t>(bytes), cudaMemcpyHostToDevice, compute_),
            "cudaMemcpyAsync");
  }
  return place;
}

void Imports::make_room(Slot& slot, std::int64_t bytes) {
  const bool has_two = how_ == Transfers::overlapped;
  if (slot.arrived != nullptr) {  // a copy into the old places may still be under way, in the other stream
    require(cudaStreamWaitEvent(compute_, slot.arrived.get(), 0), "cudaStreamWaitEvent");
  }
  slot.bytes = 0;
  for (std::size_t i = 0; i < (has_two ? 2U : 1U); ++i) {
    memory_.release(std::exchange(slot.places[i], nullptr));
    slot.places[i] = memory_.allocate(bytes);
  }
  slot.bytes = bytes;
  if (!has_two) return;
  if (slot.released == nullptr) {
    slot.released = make_event();
    slot.arrived = make_event();
  }
  // Work that had this memory before is done then.
  require(cudaEventRecord(slot.released.get(), compute_), "cudaEventRecord");
}

void* Imports::import_beside(Slot& slot, const void* host, std::int64_t bytes) {
  slot.newest = 1 - slot.newest;
  void* const place = slot.places[slot.newest];
  // Recorded by the import before this one: all that read this place came before it, and what it held since is read
  // from the other one.
  require(cudaStreamWaitEvent(copies_.get(), slot.released.get(), 0), "cudaStreamWaitEvent");
  slot.staging.copy(place, host, bytes, copies_.get());
  require(cudaEventRecord(slot.arrived.get(), copies_.get()), "cudaEventRecord");
  require(cudaEventRecord(slot.released.get(), compute_), "cudaEventRecord");
  require(cudaStreamWaitEvent(compute_, slot.arrived.get(), 0), "cudaStreamWaitEvent");
  return place;
}

const void* Views::view(const void* memory, std::int64_t bytes) {
  View& view = find(memory, bytes);
  require(cudaMemcpyAsync(view.copy.get(), memory, static_cast<std::size_t>(bytes), cudaMemcpyDeviceToHost, compute_),
          "cudaMemcpyAsync");
  require(cudaStreamSynchronize(compute_), "cudaStreamSynchronize");
  return view.copy.get();
}

Views::View& Views::find(const void* memory, std::int64_t bytes) {
  const auto known = std::ranges::find(views_, memory, &View::memory);
  if (known != views_.end() && known->bytes == bytes) {
    views_.splice(views_.end(), views_, known);
    return views_.back();
  }
  if (known != views_.end()) {
    bytes_ -= known->bytes;
    views_.erase(known);
  }
  views_.push_back({memory, bytes, make_pinned(bytes)});
  bytes_ += bytes;
  forget_old_ones();
  return views_.back();
}

void Views::forget_old_ones() {
  while (bytes_ > kViewsBytes && views_.size() > kLeastViews) {
    bytes_ -= views_.front().bytes;
    views_.pop_front();
  }
}

void Writes::write(void* to, const void* host, std::int64_t bytes) {
  if (host == nullptr) {
    require(cudaMemsetAsync(to, 0, static_cast<std::size_t>(bytes), compute_), "cudaMemsetAsync");
    return;
  }
  for (std::int64_t begin = 0; begin < bytes; begin += kWriteBytes) {
    const std::int64_t count = std::min(kWriteBytes, bytes - begin);
    staging_.copy(static_cast<char*>(to) + begin, static_cast<const char*>(host) + begin, count, compute_);
  }
}

}  // namespace regatta::engine::cuda
