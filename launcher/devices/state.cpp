#include "devices/state.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace regatta::launcher {
namespace {

using Value = std::optional<std::int64_t>;

/// A member of DeviceState by its name in JSON.
struct Member {
  Value DeviceState::*value;
  const char* key;
};
constexpr Member members[] = {
    {&DeviceState::free_bytes, "free_bytes"},
    {&DeviceState::processes, "processes"},
    {&DeviceState::uncorrected_errors, "uncorrected_errors"},
    {&DeviceState::temperature_celsius, "temperature_celsius"},
    {&DeviceState::power_milliwatts, "power_milliwatts"},
    {&DeviceState::clock_megahertz, "clock_megahertz"},
    {&DeviceState::most_clock_megahertz, "most_clock_megahertz"},
    {&DeviceState::throttle_reasons, "throttle_reasons"},
};

// nvmlClocksThrottleReasons
constexpr std::int64_t hardware_slowdown = 0x08;
constexpr std::int64_t software_heat = 0x20;
constexpr std::int64_t hardware_heat = 0x40;
constexpr std::int64_t power_brake = 0x80;

constexpr std::int64_t held_part = 50;  // contexts of processes that stay hold less

}  // namespace

std::vector<std::string> state_command(const std::filesystem::path& worker, const sweep::SlotDevice& device) {
  return {worker.string(), "devices", "--kind", sweep::to_string(device.kind), "--state", device.uuid};
}

DeviceState parse_device_state(const std::string& text) {
  DeviceState state;
  const nlohmann::json json = nlohmann::json::parse(text, nullptr, false);
  if (!json.is_object()) return state;
  for (const Member& member : members) {
    const auto found = json.find(member.key);
    if (found != json.end() && found->is_number_integer()) state.*member.value = found->get<std::int64_t>();
  }
  return state;
}

std::string to_json(const DeviceState& state) {
  nlohmann::json json = nlohmann::json::object();
  for (const Member& member : members) {
    if (state.*member.value) json[member.key] = *(state.*member.value);
  }
  return json.dump();
}

std::string throttling(const DeviceState& state) {
  const std::int64_t reasons = state.throttle_reasons.value_or(0);
  if ((reasons & (software_heat | hardware_heat)) != 0)
    return state.temperature_celsius ? fmt::format("too hot ({} degrees C)", *state.temperature_celsius) : "too hot";
  if ((reasons & power_brake) != 0) return "its power supply brakes it";
  return (reasons & hardware_slowdown) != 0 ? "the hardware slows it down" : "";
}

bool has_memory_back(const DeviceState& state, std::optional<std::int64_t> before_bytes) {
  if (!state.free_bytes || !before_bytes) return true;
  return *state.free_bytes >= *before_bytes - *before_bytes / held_part;
}

}  // namespace regatta::launcher
