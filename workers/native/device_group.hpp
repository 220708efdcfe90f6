// Ranks that compute on devices: how they find each other. What a rank offers to the others
// (protocol::Prepared::member) is the device that it computes on and, of rank 0, the id of their group.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "device.hpp"
#include "regatta/engine/device_group.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::worker {

/// "GPU-..." or, of rank 0, "GPU-... ID". Throws InputError where its plugin has no groups here, and says why.
std::string device_member(const Device& device, std::uint32_t rank);

/// The id among what all ranks offer. Throws InputError where two of them are on one device.
std::string group_id_among(const std::vector<std::string>& members);

/// Waits for the others. Throws InputError where two ranks are on one device; DeviceError where one does not come.
std::unique_ptr<engine::DeviceGroup> join_devices(const Device& device, std::uint32_t rank,
                                                  const protocol::Join& request);

}  // namespace regatta::worker
