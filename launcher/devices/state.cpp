#include "devices/state.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
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
    {&DeviceState::memory_clock_megahertz, "memory_clock_megahertz"},
    {&DeviceState::used_bytes, "used_bytes"},
    {&DeviceState::energy_millijoules, "energy_millijoules"},
    {&DeviceState::heat_nanoseconds, "heat_nanoseconds"},
    {&DeviceState::power_nanoseconds, "power_nanoseconds"},
};

// nvmlClocksThrottleReasons
constexpr std::int64_t hardware_slowdown = 0x08;
constexpr std::int64_t software_heat = 0x20;
constexpr std::int64_t hardware_heat = 0x40;
constexpr std::int64_t power_brake = 0x80;

/// The block's figure that a member gives, and the factor to its unit.
struct Reported {
  Value DeviceState::*value;
  sweep::DeviceFigure figure;
  double unit;
};
constexpr Reported reported[] = {
    {&DeviceState::clock_megahertz, sweep::DeviceFigure::clock, 1},
    {&DeviceState::memory_clock_megahertz, sweep::DeviceFigure::memory_clock, 1},
    {&DeviceState::throttle_reasons, sweep::DeviceFigure::throttle, 1},
    {&DeviceState::temperature_celsius, sweep::DeviceFigure::temperature, 1},
    {&DeviceState::power_milliwatts, sweep::DeviceFigure::power, 1e-3},
    {&DeviceState::used_bytes, sweep::DeviceFigure::memory_used, 1},
    {&DeviceState::energy_millijoules, sweep::DeviceFigure::energy, 1e-3},
    {&DeviceState::heat_nanoseconds, sweep::DeviceFigure::heat_time, 1e-9},
    {&DeviceState::power_nanoseconds, sweep::DeviceFigure::power_time, 1e-9},
};

constexpr std::int64_t held_part = 50;  // contexts of processes that stay hold less

/// NaN for a figure that is not told. Counters count from `begin` on.
double figure_of(const DeviceState& state, const DeviceState& begin, const Reported& row) {
  constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  const Value now = state.*row.value;
  if (!now) return unknown;
  if (!sweep::device_figure_table.at(static_cast<std::size_t>(row.figure)).counts)
    return row.unit * static_cast<double>(*now);
  const Value then = begin.*row.value;
  return then && *now >= *then ? row.unit * static_cast<double>(*now - *then) : unknown;
}

sweep::DeviceReading reading_of(const DeviceState& state, const DeviceState& begin) {
  sweep::DeviceReading reading(sweep::device_figure_table.size());
  for (const Reported& row : reported) reading.at(static_cast<std::size_t>(row.figure)) = figure_of(state, begin, row);
  return reading;
}

bool is_empty(const DeviceState& state) {
  return std::ranges::none_of(members, [&](const Member& member) { return (state.*member.value).has_value(); });
}

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

sweep::DeviceReadings readings_of(const DeviceState& before, const DeviceState& after) {
  sweep::DeviceReadings readings;
  if (!is_empty(before)) readings.before = reading_of(before, before);
  if (!is_empty(after)) readings.after = reading_of(after, before);
  return readings;
}

bool has_memory_back(const DeviceState& state, std::optional<std::int64_t> before_bytes) {
  if (!state.free_bytes || !before_bytes) return true;
  return *state.free_bytes >= *before_bytes - *before_bytes / held_part;
}

}  // namespace regatta::launcher
