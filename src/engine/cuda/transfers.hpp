// Bytes between host and device: batches in, results out.
#pragma once

#include <array>
#include <cstdint>
#include <list>
#include <map>

#include "engine/cuda/memory.hpp"
#include "engine/cuda/staging.hpp"
#include "regatta/engine/plugin.hpp"

namespace regatta::engine::cuda {

class Imports {
 public:
  /// Steps that read what is imported enter `compute`.
  Imports(Transfers how, MemoryPieces& memory, cudaStream_t compute);
  ~Imports();
  Imports(const Imports&) = delete;
  Imports& operator=(const Imports&) = delete;

  /// Memory of the device that holds the caller's bytes for work that enters the stream from now on, until the next
  /// import of the slot. The caller may change its bytes when this returns. Overlapped: one of two addresses in turn.
  void* import(int slot, const void* host, std::int64_t bytes);

 private:
  /// Where a slot's batches lie. With one place all is in one stream; with two, `released` orders them: it comes behind
  /// all that reads the place that is not the newest.
  struct Slot {
    Staging staging;
    std::array<void*, 2> places{};
    std::int64_t bytes = 0;
    std::size_t newest = 0;
    EventHandle released, arrived;
  };

  void make_room(Slot& slot, std::int64_t bytes);
  void* import_beside(Slot& slot, const void* host, std::int64_t bytes);

  Transfers how_;
  MemoryPieces& memory_;
  cudaStream_t compute_;
  Stream copies_;  ///< overlapped only
  std::map<int, Slot> slots_;
};

/// Copies what the host reads of the device, and keeps the copies of some memories.
class Views {
 public:
  explicit Views(cudaStream_t compute) : compute_(compute) {}

  /// Waits for all work before it. Stays where it is while the same bytes are viewed again, and some others.
  const void* view(const void* memory, std::int64_t bytes);

 private:
  struct View {
    const void* memory;
    std::int64_t bytes;
    Pinned copy;
  };

  View& find(const void* memory, std::int64_t bytes);
  void forget_old_ones();

  cudaStream_t compute_;
  std::list<View> views_;  ///< the last one used stands last
  std::int64_t bytes_ = 0;
};

/// Writes of the host, behind all work in a stream.
class Writes {
 public:
  explicit Writes(cudaStream_t compute) : compute_(compute) {}

  /// The caller may change its bytes when this returns. Null: zeros.
  void write(void* to, const void* host, std::int64_t bytes);

 private:
  cudaStream_t compute_;
  Staging staging_;
};

}  // namespace regatta::engine::cuda
