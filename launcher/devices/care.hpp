// How a slot's device fares in a run, and when it is set aside.
#pragma once

#include <optional>
#include <set>
#include <string>

#include "devices/health.hpp"
#include "regatta/sweep/slot.hpp"

namespace regatta::launcher {

/// So many trials in a row must fail on a device.
inline constexpr std::size_t failures_to_set_aside = 3;

struct DeviceCare {
  sweep::SlotDevice device;
  std::optional<std::int64_t> free_bytes;  ///< memory, before anything of this run was on it
  std::set<std::string> failed;            ///< trials on it since the last one that did not fail
  std::string set_aside;                   ///< why; empty: it is in use
};

/// The device did its work.
void note_success(DeviceCare& care);

/// A trial died on it, of whatever kind. `health`: of the device afterwards.
void note_failure(DeviceCare& care, const std::string& trial, const std::string& message, const DeviceHealth& health);

/// A device that does not pass its check is set aside at once.
void note_check(DeviceCare& care, const DeviceHealth& health);

}  // namespace regatta::launcher
