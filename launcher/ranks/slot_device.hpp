// The device that this rank's slot has beside its cores.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/care.hpp"
#include "ranks/mpi_link.hpp"
#include "regatta/stats/flags.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

struct OwnedDevice {
  DeviceCare care;     ///< set aside already, if it did not pass its check
  stats::Flags flags;  ///< slow_device: it does less than those like it
};

/// The device of this rank, checked; nothing if it has none. Collective: ranks tell each other what they see. Asks no
/// driver where no trial needs a device (`kinds` is empty). Rank 0 throws
/// InputError where two ranks own one device; the others wait for the end of the job.
std::optional<OwnedDevice> own_device(const MpiSession& mpi, const std::set<sweep::DeviceKind>& kinds,
                                      const std::vector<int>& cores, const Chores& chores);

/// The variables that tell a process of the slot which device is its own.
std::map<std::string, std::string> variables_of(const sweep::SlotDevice& device);

}  // namespace regatta::launcher
