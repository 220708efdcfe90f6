// Named ranges for NVIDIA's profilers (NVTX). Without a profiler a range is a test of a pointer.
#pragma once

namespace regatta::engine::cuda {

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

}  // namespace regatta::engine::cuda
