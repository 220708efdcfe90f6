// Where libraries' plans take memory from while they are tried.
#pragma once

#include <cstdint>
#include <functional>

namespace regatta::engine::cuda {

/// Memory of the device, for operands of what nobody asked for yet. `allocate` throws std::bad_alloc.
struct DeviceMemorySource {
  std::function<void*(std::int64_t bytes)> allocate;
  std::function<void(void* memory)> release;
};

}  // namespace regatta::engine::cuda
