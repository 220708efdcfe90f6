#include "devices/nvml.hpp"

#include <dlfcn.h>
#include <fmt/format.h>

#include <array>
#include <cstring>
#include <sstream>

namespace regatta::worker {
namespace {

using Device = void*;
using Status = int;
constexpr Status done = 0;
constexpr Status too_small = 7;        // NVML_ERROR_INSUFFICIENT_SIZE: the count is told all the same
constexpr int uncorrected = 1;         // NVML_MEMORY_ERROR_TYPE_UNCORRECTED
constexpr int since_driver = 0;        // NVML_VOLATILE_ECC
constexpr int of_chip = 0;             // NVML_TEMPERATURE_GPU
constexpr int of_multiprocessors = 1;  // NVML_CLOCK_SM
constexpr int of_memory = 2;           // NVML_CLOCK_MEM
constexpr int by_power = 0;            // NVML_PERF_POLICY_POWER
constexpr int by_heat = 1;             // NVML_PERF_POLICY_THERMAL

struct Memory {
  unsigned long long total, free, used;
};
struct HeldDown {
  unsigned long long now_microseconds, nanoseconds;  // the second one since the driver was loaded
};

/// The library while it is in use.
class Nvml {
 public:
  Nvml() : library_(dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL)) {
    is_open_ = call<Status()>("nvmlInit_v2").value_or(-1) == done;
  }
  ~Nvml() {
    if (is_open_) static_cast<void>(call<Status()>("nvmlShutdown"));
    if (library_ != nullptr) dlclose(library_);
  }
  Nvml(const Nvml&) = delete;
  Nvml& operator=(const Nvml&) = delete;
  [[nodiscard]] bool is_open() const { return is_open_; }

  /// The result of the function of this name; nothing if this version has none.
  template <class Signature, class... Arguments>
  std::optional<Status> call(const char* name, Arguments... arguments) const {
    if (library_ == nullptr) return std::nullopt;
    const auto function = reinterpret_cast<Signature*>(dlsym(library_, name));
    if (function == nullptr) return std::nullopt;
    return function(arguments...);
  }

 private:
  void* library_;
  bool is_open_ = false;
};

/// One number, if the function tells it.
template <class Number, class Signature, class... Arguments>
std::optional<std::int64_t> number_of(const Nvml& nvml, const char* name, Arguments... arguments) {
  Number number{};
  if (nvml.call<Signature>(name, arguments..., &number) != done) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> processes_on(const Nvml& nvml, Device device) {
  unsigned count = 0;
  const auto status = nvml.call<Status(Device, unsigned*, void*)>("nvmlDeviceGetComputeRunningProcesses_v3", device,
                                                                  &count, static_cast<void*>(nullptr));
  if (status != done && status != too_small) return std::nullopt;
  return count;
}

std::optional<std::int64_t> held_down(const Nvml& nvml, Device device, int policy) {
  HeldDown held{};
  if (nvml.call<Status(Device, int, HeldDown*)>("nvmlDeviceGetViolationStatus", device, policy, &held) != done)
    return std::nullopt;
  return static_cast<std::int64_t>(held.nanoseconds);
}

DeviceState state_of(const Nvml& nvml, Device device) {
  using OneNumber = Status(Device, unsigned*);
  using OfKind = Status(Device, int, unsigned*);
  using Long = unsigned long long;
  DeviceState state;
  Memory memory{};
  if (nvml.call<Status(Device, Memory*)>("nvmlDeviceGetMemoryInfo", device, &memory) == done) {
    state.free_bytes = static_cast<std::int64_t>(memory.free);
    state.used_bytes = static_cast<std::int64_t>(memory.used);
  }
  state.processes = processes_on(nvml, device);
  state.uncorrected_errors = number_of<Long, Status(Device, int, int, Long*)>(nvml, "nvmlDeviceGetTotalEccErrors",
                                                                              device, uncorrected, since_driver);
  state.temperature_celsius = number_of<unsigned, OfKind>(nvml, "nvmlDeviceGetTemperature", device, of_chip);
  state.power_milliwatts = number_of<unsigned, OneNumber>(nvml, "nvmlDeviceGetPowerUsage", device);
  state.clock_megahertz = number_of<unsigned, OfKind>(nvml, "nvmlDeviceGetClockInfo", device, of_multiprocessors);
  state.most_clock_megahertz =
      number_of<unsigned, OfKind>(nvml, "nvmlDeviceGetMaxClockInfo", device, of_multiprocessors);
  state.throttle_reasons =
      number_of<Long, Status(Device, Long*)>(nvml, "nvmlDeviceGetCurrentClocksThrottleReasons", device);
  state.memory_clock_megahertz = number_of<unsigned, OfKind>(nvml, "nvmlDeviceGetClockInfo", device, of_memory);
  state.energy_millijoules =
      number_of<Long, Status(Device, Long*)>(nvml, "nvmlDeviceGetTotalEnergyConsumption", device);
  state.heat_nanoseconds = held_down(nvml, device, by_heat);
  state.power_nanoseconds = held_down(nvml, device, by_power);
  return state;
}

struct Place {
  char short_bus_id[16];
  unsigned domain, bus, device, device_id, subsystem_id;
  char bus_id[32];
};

engine::PluginDevice describe(const Nvml& nvml, Device device) {
  using Text = Status(Device, char*, unsigned);
  engine::PluginDevice row{};
  nvml.call<Text>("nvmlDeviceGetName", device, row.name, static_cast<unsigned>(sizeof row.name));
  nvml.call<Text>("nvmlDeviceGetUUID", device, row.uuid, static_cast<unsigned>(sizeof row.uuid));
  Place place{};
  nvml.call<Status(Device, Place*)>("nvmlDeviceGetPciInfo_v3", device, &place);
  static_assert(sizeof row.bus_id == sizeof place.bus_id);
  std::memcpy(row.bus_id, place.bus_id, sizeof row.bus_id - 1);
  Memory memory{};
  nvml.call<Status(Device, Memory*)>("nvmlDeviceGetMemoryInfo", device, &memory);
  row.memory_bytes = static_cast<std::int64_t>(memory.total);
  int major = 0;
  int minor = 0;
  nvml.call<Status(Device, int*, int*)>("nvmlDeviceGetCudaComputeCapability", device, &major, &minor);
  row.compute_capability = 10 * major + minor;
  return row;
}

/// As the driver reads it: indices or beginnings of UUIDs, up to the first that is no device.
std::vector<engine::PluginDevice> chosen(const std::vector<engine::PluginDevice>& all, const std::string& visible) {
  std::vector<engine::PluginDevice> found;
  std::istringstream words(visible);
  for (std::string word; std::getline(words, word, ',');) {
    std::size_t at = all.size();
    for (std::size_t i = 0; i < all.size(); ++i) {
      if (word == std::to_string(i) || (!word.empty() && std::string(all[i].uuid).starts_with(word))) at = i;
    }
    if (at == all.size()) break;
    found.push_back(all[at]);
  }
  return found;
}

}  // namespace

std::vector<engine::PluginDevice> nvml_devices(const char* visible) {
  const Nvml nvml;
  std::vector<engine::PluginDevice> all;
  unsigned count = 0;
  if (!nvml.is_open() || nvml.call<Status(unsigned*)>("nvmlDeviceGetCount_v2", &count) != done) return all;
  for (unsigned i = 0; i < count; ++i) {
    Device device = nullptr;
    if (nvml.call<Status(unsigned, Device*)>("nvmlDeviceGetHandleByIndex_v2", i, &device) == done)
      all.push_back(describe(nvml, device));
  }
  return visible == nullptr ? all : chosen(all, visible);
}

std::optional<DeviceState> device_state(const std::string& uuid) {
  const Nvml nvml;
  if (!nvml.is_open()) return std::nullopt;
  Device device = nullptr;
  if (nvml.call<Status(const char*, Device*)>("nvmlDeviceGetHandleByUUID", uuid.c_str(), &device) != done)
    return std::nullopt;
  return state_of(nvml, device);
}

std::string to_json(const DeviceState& state) {
  const std::array<std::pair<const char*, std::optional<std::int64_t>>, 13> members = {{
      {"free_bytes", state.free_bytes},
      {"processes", state.processes},
      {"uncorrected_errors", state.uncorrected_errors},
      {"temperature_celsius", state.temperature_celsius},
      {"power_milliwatts", state.power_milliwatts},
      {"clock_megahertz", state.clock_megahertz},
      {"most_clock_megahertz", state.most_clock_megahertz},
      {"throttle_reasons", state.throttle_reasons},
      {"memory_clock_megahertz", state.memory_clock_megahertz},
      {"used_bytes", state.used_bytes},
      {"energy_millijoules", state.energy_millijoules},
      {"heat_nanoseconds", state.heat_nanoseconds},
      {"power_nanoseconds", state.power_nanoseconds},
  }};
  std::string text;
  for (const auto& [name, value] : members)
    text += fmt::format(R"({}"{}": {})", text.empty() ? "" : ", ", name, value ? std::to_string(*value) : "null");
  return "{" + text + "}";
}

}  // namespace regatta::worker
