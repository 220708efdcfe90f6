#include "devices/care.hpp"

#include <fmt/format.h>

namespace regatta::launcher {
namespace {

constexpr std::size_t longest_message = 200;

void set_aside(DeviceCare& care, const std::string& why) {
  care.set_aside = fmt::format("the device {} ({}) was set aside: {}", care.device.name, care.device.uuid, why);
}

/// The first line of a message: the rest is a worker's last words.
std::string first_line_of(const std::string& message) {
  return message.substr(0, std::min(message.find('\n'), longest_message));
}

}  // namespace

void note_success(DeviceCare& care) { care.failed.clear(); }

void note_check(DeviceCare& care, const DeviceHealth& health) {
  if (care.set_aside.empty() && !health.problem.empty())
    set_aside(care, fmt::format("it does not pass its check ({})", first_line_of(health.problem)));
}

void note_failure(DeviceCare& care, const std::string& trial, const std::string& message, const DeviceHealth& health) {
  note_check(care, health);
  care.failed.insert(trial);
  if (!care.set_aside.empty() || care.failed.size() < failures_to_set_aside) return;
  set_aside(care, fmt::format("{} trials in a row failed on it, the last one with: {}", care.failed.size(),
                              first_line_of(message)));
}

}  // namespace regatta::launcher
