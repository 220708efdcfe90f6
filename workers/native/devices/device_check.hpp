// A short look at whether a device is well: how fast it copies and multiplies.
#pragma once

#include <cstdint>

#include "regatta/engine/backend.hpp"

namespace regatta::worker {

/// What a device did in some tenths of a second; a figure to compare devices of one kind by, no peak.
struct DeviceRates {
  double write_bytes_per_second = 0;    ///< from the host to the device, each byte counted once
  double read_bytes_per_second = 0;     ///< and back
  double product_flops_per_second = 0;  ///< square products in fp32
};

/// Measures for about a second, in at most an eighth of the device's memory. Throws DeviceError where the device fails
/// or computes a product wrongly, and std::bad_alloc where it has not even that memory free.
DeviceRates check_device(engine::Backend& backend, std::int64_t memory_bytes);

}  // namespace regatta::worker
