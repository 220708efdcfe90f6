#include "devices/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "os/ask_program.hpp"

namespace regatta::launcher {
namespace {

constexpr double slow_part = 0.85;
constexpr std::size_t fewest_alike = 3;  // the own one included: of two nobody knows which one is slow

/// A figure of DeviceHealth.
struct Rate {
  double DeviceHealth::*value;
  const char* key;
  const char* what;
};
constexpr Rate rates[] = {
    {&DeviceHealth::write_bytes_per_second, "write_bytes_per_second", "copies to it"},
    {&DeviceHealth::read_bytes_per_second, "read_bytes_per_second", "copies from it"},
    {&DeviceHealth::product_flops_per_second, "product_flops_per_second", "products"},
};

double median(std::vector<double> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

}  // namespace

std::vector<std::string> check_command(const std::filesystem::path& worker, const sweep::SlotDevice& device) {
  return {worker.string(), "devices", "--kind", sweep::to_string(device.kind), "--check", std::to_string(device.index)};
}

DeviceHealth check_device(const std::filesystem::path& worker, const sweep::SlotDevice& device) {
  const auto answer = output_of(check_command(worker, device), {}, check_patience_seconds);
  if (answer) return parse_device_health(*answer, device);
  DeviceHealth health;
  health.problem = fmt::format("it did not end a check within {:.0f} s, or the check died", check_patience_seconds);
  return health;
}

DeviceHealth parse_device_health(const std::string& text) {
  DeviceHealth health;
  try {
    const nlohmann::json json = nlohmann::json::parse(text);
    health.problem = json.value("problem", "");
    if (!health.problem.empty()) return health;
    for (const Rate& rate : rates) health.*rate.value = json.at(rate.key);
    health.uuid = json.at("uuid");
    if (json.contains("state")) health.state = parse_device_state(json.at("state").dump());
  } catch (const nlohmann::json::exception& error) {
    health.problem = fmt::format("its check cannot be read ({})", error.what());
  }
  return health;
}

DeviceHealth parse_device_health(const std::string& text, const sweep::SlotDevice& device) {
  DeviceHealth health = parse_device_health(text);
  if (health.problem.empty() && health.uuid != device.uuid)
    health.problem = fmt::format("device {} is now {}, and was {}", device.index, health.uuid, device.uuid);
  return health;
}

std::string to_json(const DeviceHealth& health) {
  nlohmann::json json = {
      {"problem", health.problem}, {"uuid", health.uuid}, {"state", nlohmann::json::parse(to_json(health.state))}};
  for (const Rate& rate : rates) json[rate.key] = health.*rate.value;
  return json.dump();
}

std::string slowness(const CheckedDevice& own, const std::vector<CheckedDevice>& all) {
  for (const Rate& rate : rates) {
    std::vector<double> values;
    for (const CheckedDevice& other : all) {
      if (other.name == own.name && other.health.problem.empty()) values.push_back(other.health.*rate.value);
    }
    if (values.size() < fewest_alike) return {};
    const double usual = median(values);
    const double value = own.health.*rate.value;
    if (value < slow_part * usual)
      return fmt::format("{} at {:.0f} % of the median of {} like it", rate.what, 100 * value / usual, values.size());
  }
  return {};
}

}  // namespace regatta::launcher
