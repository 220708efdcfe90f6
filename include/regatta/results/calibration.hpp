// What the cores of a slot can do at most, as measured on them.
#pragma once

#include <cstdint>
#include <limits>
#include <string>

namespace regatta::results {

/// Rates of one slot under one build of the native worker. NaN: unknown on this processor.
struct Calibration {
  std::int64_t threads = 0;  ///< cores of the slot, all busy but for the peak of one
  std::string isa;           ///< "avx512", "avx2"; empty: unknown
  double core_peak_flops_per_second = std::numeric_limits<double>::quiet_NaN();  ///< one core: fp32 multiply-adds
  double peak_flops_per_second = std::numeric_limits<double>::quiet_NaN();       ///< all cores together
  double memory_bytes_per_second = std::numeric_limits<double>::quiet_NaN();     ///< reading
  double copy_bytes_per_second = std::numeric_limits<double>::quiet_NaN();       ///< memcpy, each byte counted once
  double measured_wall_seconds = 0;                                              ///< when it was measured
};

}  // namespace regatta::results
