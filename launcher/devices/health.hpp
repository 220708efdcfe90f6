// Whether a device is well: what it did when it was asked to copy and to multiply.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "devices/state.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

struct DeviceHealth {
  std::string problem;  ///< empty: it computes, and rightly
  std::string uuid;     ///< names the device that was checked
  double write_bytes_per_second = 0;
  double read_bytes_per_second = 0;
  double product_flops_per_second = 0;
  DeviceState state = {};
};

/// A check that takes longer has found a device that does not answer.
inline constexpr double check_patience_seconds = 30;

/// The command that checks this device; it prints what parse_device_health reads.
std::vector<std::string> check_command(const std::filesystem::path& worker, const sweep::SlotDevice& device);

/// Runs it. A failure becomes the health's problem.
DeviceHealth check_device(const std::filesystem::path& worker, const sweep::SlotDevice& device);

/// Never throws: what cannot be read is a problem of the device, too.
DeviceHealth parse_device_health(const std::string& text);

/// The same, where another device that answers in its place is a problem.
DeviceHealth parse_device_health(const std::string& text, const sweep::SlotDevice& device);

std::string to_json(const DeviceHealth& health);

/// Health of a device among those of the job.
struct CheckedDevice {
  std::string name;  ///< "NVIDIA H200": only devices of one name are compared
  DeviceHealth health;
};

/// Whether the device does less than 85 % of the median of its like in anything, and what; empty if it does not, or
/// has less than two like it.
std::string slowness(const CheckedDevice& own, const std::vector<CheckedDevice>& all);

}  // namespace regatta::launcher
