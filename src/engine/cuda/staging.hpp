// Pinned memory through which the host hands bytes to a stream.
#pragma once

#include <array>
#include <cstdint>

#include "engine/cuda/device/handles.hpp"

namespace regatta::engine::cuda {

/// Until the event was met. A device that never meets it is waited for: who watches the process ends it.
void wait_for(cudaEvent_t event);

/// Two pieces in turn: the host fills one while the copy of the other is still to come.
class Staging {
 public:
  /// Copies the bytes, and issues their copy to `to` into `stream`, large ones in parts, so that the device begins with
  /// the first while the host copies the second. The host waits only where the copy before the last one is not over.
  /// Throws std::bad_alloc.
  void copy(void* to, const void* host, std::int64_t bytes, cudaStream_t stream);

 private:
  struct Piece {
    Pinned memory;
    std::int64_t bytes = 0;
    EventHandle copied;
  };

  std::array<Piece, 2> pieces_;
  std::size_t turn_ = 0;
};

}  // namespace regatta::engine::cuda
