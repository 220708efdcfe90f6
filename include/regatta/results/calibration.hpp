// The peak rates of a slot's cores, as measured on them.
#pragma once

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>

namespace regatta::results {

/// The peak rates of a slot's device. NaN: unknown.
struct DeviceRates {
  std::string uuid;  ///< UUID of the calibrated device; empty: none was calibrated
  double fp32_flops_per_second = std::numeric_limits<double>::quiet_NaN();
  double tf32_flops_per_second = std::numeric_limits<double>::quiet_NaN();
  double bf16_flops_per_second = std::numeric_limits<double>::quiet_NaN();
  double memory_bytes_per_second = std::numeric_limits<double>::quiet_NaN();
  double upload_bytes_per_second = std::numeric_limits<double>::quiet_NaN();
  double download_bytes_per_second = std::numeric_limits<double>::quiet_NaN();
  double launch_seconds = std::numeric_limits<double>::quiet_NaN();
  double node_seconds = std::numeric_limits<double>::quiet_NaN();
};

/// A figure of DeviceRates.
struct DeviceRate {
  double DeviceRates::*value;
  std::string_view key;     ///< in JSON
  std::string_view column;  ///< in /devices of the result file
  std::string_view unit;
  std::string_view description;
};
inline constexpr std::array device_rates = {
    DeviceRate{&DeviceRates::fp32_flops_per_second, "fp32_flops_per_second", "device_fp32_flops", "s-1",
               "most operations of the device's products in fp32"},
    DeviceRate{&DeviceRates::tf32_flops_per_second, "tf32_flops_per_second", "device_tf32_flops", "s-1", "in tf32"},
    DeviceRate{&DeviceRates::bf16_flops_per_second, "bf16_flops_per_second", "device_bf16_flops", "s-1", "in bf16"},
    DeviceRate{&DeviceRates::memory_bytes_per_second, "memory_bytes_per_second", "device_memory_bandwidth", "byte s-1",
               "of the device's memory: reading and writing counted"},
    DeviceRate{&DeviceRates::upload_bytes_per_second, "upload_bytes_per_second", "upload_bandwidth", "byte s-1",
               "from the host's memory to the device's"},
    DeviceRate{&DeviceRates::download_bytes_per_second, "download_bytes_per_second", "download_bandwidth", "byte s-1",
               "from the device's memory to the host's"},
    DeviceRate{&DeviceRates::launch_seconds, "launch_seconds", "launch_time", "s",
               "of the host, to issue one kernel: the mean of many"},
    DeviceRate{&DeviceRates::node_seconds, "node_seconds", "node_time", "s",
               "of the smallest kernel in a replayed graph, each waiting for the one before: the mean of many"},
};

/// Rates of one slot under one build of the native worker. NaN: unknown on this processor.
struct Calibration {
  std::int64_t threads = 0;  ///< cores of the slot, all busy but for the peak of one
  std::string isa;           ///< "avx512", "avx2"; empty: unknown
  double core_peak_flops_per_second = std::numeric_limits<double>::quiet_NaN();  ///< one core: fp32 multiply-adds
  double peak_flops_per_second = std::numeric_limits<double>::quiet_NaN();       ///< all cores together
  double memory_bytes_per_second = std::numeric_limits<double>::quiet_NaN();     ///< reading
  double copy_bytes_per_second = std::numeric_limits<double>::quiet_NaN();       ///< memcpy, each byte counted once
  double measured_wall_seconds = 0;                                              ///< when it was measured
  DeviceRates device = {};
};

}  // namespace regatta::results
