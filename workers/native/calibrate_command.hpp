// `regatta-worker calibrate`: what the cores of this slot can do at most.
#pragma once

#include <cstdint>
#include <string>

namespace regatta::worker {

/// Measures for some 0.3 s with `threads` threads, one on each core that this process may use, and returns one JSON
/// object (docs/results.md, "Calibration"):
/// {"threads": n, "isa": "avx512", "core_peak_flops_per_second": F, "peak_flops_per_second": F,
///  "memory_bytes_per_second": B, "copy_bytes_per_second": B}; the peaks are null where they are unknown.
std::string calibrate(std::int64_t threads);

}  // namespace regatta::worker
