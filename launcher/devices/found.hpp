// The devices beside the cores that the worker finds.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

struct FoundDevice {
  sweep::SlotDevice device;
  std::string bus_id;  ///< PCI: "00000000:3b:00.0"; empty: not known
  std::int64_t memory_bytes = 0;
  std::string compute_capability;  ///< "9.0"
};

/// Devices of one kind, or why there are none.
struct FoundDevices {
  std::string plugin;    ///< the file that serves them; empty: the worker did not answer
  std::string versions;  ///< "driver 13.0, runtime 13.0, ..."; empty where the plugin cannot be opened
  std::string problem;   ///< empty: all is well; else the engine native computes on none of the devices
  std::vector<FoundDevice> devices;
};

/// Asks `regatta-worker devices`, for a minute at most: a driver that nobody uses takes seconds to wake up.
FoundDevices find_devices(const std::filesystem::path& worker, sweep::DeviceKind kind);

/// Reads its answer. Throws PeerLost.
FoundDevices parse_found_devices(const std::string& text, sweep::DeviceKind kind);

/// The cores beside the device on this bus, as the kernel numbers them; none where it does not say.
std::vector<int> cores_near(const std::filesystem::path& sys, const std::string& bus_id);

/// Names of those devices for a process that is to see this one alone: the entry of CUDA_VISIBLE_DEVICES that stands
/// for it, where the batch system has set that (`visible`), else its index.
std::string visible_name(const std::string& visible, std::int32_t index);

}  // namespace regatta::launcher
