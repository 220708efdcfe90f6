// The backend of GPUs: memory, transfers, recordings as CUDA graphs, devices, the plugin's entry.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <vector>

#include "regatta/engine/backend.hpp"
#include "regatta/engine/plugin.hpp"

namespace regatta::engine::cuda {

// backend.cpp: The backend of a GPU, as sessions see it.

/// Throws InputError for what the device does not have, DeviceError, std::bad_alloc.
std::unique_ptr<Backend> make_backend(const PluginSettings& settings);

// devices.cpp: The devices that are there, and the versions of driver and libraries.

/// Throws DeviceError where none can be asked for: no driver, one that is too old, no device.
std::vector<PluginDevice> list_devices();

/// "driver 13.0, runtime 13.0, cuBLASLt 13.0.2, cuDNN 9.19.0"; "no driver" where there is none.
const char* versions();

// ranges.cpp: Named ranges for NVIDIA's profilers (NVTX). Without a profiler a range is a test of a pointer.

/// Ranges of a thread nest. Nothing where the plugin was built without NVTX's headers.
void begin_range(const char* name) noexcept;
void end_range() noexcept;

class Range {
 public:
  explicit Range(const char* name) noexcept { begin_range(name); }
  ~Range() { end_range(); }
  Range(const Range&) = delete;
  Range& operator=(const Range&) = delete;
};

// suballocator.cpp: Pieces of one block of memory: where each begins. Knows offsets only.

class Suballocator {
 public:
  /// Offsets and sizes are multiples of `alignment` bytes.
  Suballocator(std::int64_t bytes, std::int64_t alignment);

  /// Offset of a piece in the smallest gap that holds it; none if no gap does.
  std::optional<std::int64_t> take(std::int64_t bytes);

  /// Gives back what take() gave. Throws InternalError for another offset.
  void give(std::int64_t offset);

 private:
  std::int64_t alignment_;
  std::map<std::int64_t, std::int64_t> gaps_;   ///< offset, bytes; no two touch
  std::map<std::int64_t, std::int64_t> taken_;  ///< offset, bytes
};

}  // namespace regatta::engine::cuda
