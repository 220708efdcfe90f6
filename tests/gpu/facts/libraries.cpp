#include "gpu/facts/libraries.hpp"

#include <cudnn_graph.h>
#include <dlfcn.h>

#include <array>
#include <vector>

namespace regatta::gpu_facts {
namespace {

/// A shared object that stays open; `function` gives null for what it lacks.
class Library {
 public:
  explicit Library(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {
    if (!handle_) why_ = dlerror();
  }
  [[nodiscard]] const std::string& why() const { return why_; }
  template <class Function>
  Function* function(const char* name) const {
    return handle_ ? reinterpret_cast<Function*>(dlsym(handle_, name)) : nullptr;
  }

 private:
  void* handle_;
  std::string why_;
};

/// The part of NVML that is asked here; its handles are pointers, its status 0 is success.
using NvmlDevice = void*;
using NvmlNumber = int(NvmlDevice device, unsigned* value);
using NvmlClock = int(NvmlDevice device, unsigned kind, unsigned* value);
using NvmlText = int(NvmlDevice device, char* text, unsigned capacity);
using NvmlEcc = int(NvmlDevice device, unsigned kind, unsigned counter, unsigned long long* value);
constexpr unsigned kSmClock = 1;
constexpr unsigned kMemoryClock = 2;

void add_number(const Library& nvml, NvmlDevice device, const char* function, const char* key, Json& to) {
  unsigned value = 0;
  auto* const ask = nvml.function<NvmlNumber>(function);
  if (ask && ask(device, &value) == 0) to[key] = value;
}

void add_clock(const Library& nvml, NvmlDevice device, const char* function, unsigned kind, const char* key, Json& to) {
  unsigned value = 0;
  auto* const ask = nvml.function<NvmlClock>(function);
  if (ask && ask(device, kind, &value) == 0) to[key] = value;
}

void add_text(const Library& nvml, NvmlDevice device, const char* function, const char* key, Json& to) {
  std::array<char, 96> text{};
  auto* const ask = nvml.function<NvmlText>(function);
  if (ask && ask(device, text.data(), text.size()) == 0) to[key] = text.data();
}

Json device_by_nvml(const Library& nvml, NvmlDevice device) {
  Json facts;
  add_text(nvml, device, "nvmlDeviceGetName", "name", facts);
  add_text(nvml, device, "nvmlDeviceGetUUID", "uuid", facts);
  add_text(nvml, device, "nvmlDeviceGetVbiosVersion", "vbios", facts);
  add_clock(nvml, device, "nvmlDeviceGetClockInfo", kSmClock, "sm_clock_mhz", facts);
  add_clock(nvml, device, "nvmlDeviceGetMaxClockInfo", kSmClock, "sm_clock_max_mhz", facts);
  add_clock(nvml, device, "nvmlDeviceGetClockInfo", kMemoryClock, "memory_clock_mhz", facts);
  add_clock(nvml, device, "nvmlDeviceGetMaxClockInfo", kMemoryClock, "memory_clock_max_mhz", facts);
  add_clock(nvml, device, "nvmlDeviceGetTemperature", 0, "temperature_celsius", facts);
  add_number(nvml, device, "nvmlDeviceGetPowerUsage", "power_milliwatts", facts);
  add_number(nvml, device, "nvmlDeviceGetEnforcedPowerLimit", "power_limit_milliwatts", facts);
  add_number(nvml, device, "nvmlDeviceGetPersistenceMode", "persistence_mode", facts);
  add_number(nvml, device, "nvmlDeviceGetMaxPcieLinkGeneration", "pcie_generation", facts);
  add_number(nvml, device, "nvmlDeviceGetMaxPcieLinkWidth", "pcie_lanes", facts);
  unsigned long long errors = 0;
  auto* const ecc = nvml.function<NvmlEcc>("nvmlDeviceGetTotalEccErrors");
  if (ecc && ecc(device, 1, 0, &errors) == 0) facts["ecc_uncorrected_since_boot"] = errors;
  return facts;
}

struct Cudnn {
  Library graph{"libcudnn_graph.so.9"};  // without it libcudnn ends the process
  Library library{"libcudnn.so.9"};
  decltype(cudnnBackendCreateDescriptor)* create = nullptr;
  decltype(cudnnBackendDestroyDescriptor)* destroy = nullptr;
  decltype(cudnnBackendSetAttribute)* set = nullptr;
  decltype(cudnnBackendGetAttribute)* get = nullptr;
  decltype(cudnnBackendFinalize)* finalize = nullptr;
  decltype(cudnnGetVersion)* version = nullptr;
  decltype(cudnnGetErrorString)* text = nullptr;

  bool open() {
    if (!graph.why().empty() || !library.why().empty()) return false;
    create = library.function<decltype(cudnnBackendCreateDescriptor)>("cudnnBackendCreateDescriptor");
    destroy = library.function<decltype(cudnnBackendDestroyDescriptor)>("cudnnBackendDestroyDescriptor");
    set = library.function<decltype(cudnnBackendSetAttribute)>("cudnnBackendSetAttribute");
    get = library.function<decltype(cudnnBackendGetAttribute)>("cudnnBackendGetAttribute");
    finalize = library.function<decltype(cudnnBackendFinalize)>("cudnnBackendFinalize");
    version = library.function<decltype(cudnnGetVersion)>("cudnnGetVersion");
    text = library.function<decltype(cudnnGetErrorString)>("cudnnGetErrorString");
    return create && destroy && set && get && finalize && version && text;
  }
};

/// The JSON text into `to`; the status of the call that failed.
cudnnStatus_t read_properties(const Cudnn& cudnn, int device, std::string& to) {
  cudnnBackendDescriptor_t properties = nullptr;
  if (const auto status = cudnn.create(CUDNN_BACKEND_DEVICEPROP_DESCRIPTOR, &properties); status != 0) return status;
  const std::int32_t id = device;
  cudnnStatus_t status = cudnn.set(properties, CUDNN_ATTR_DEVICEPROP_DEVICE_ID, CUDNN_TYPE_INT32, 1, &id);
  if (status == CUDNN_STATUS_SUCCESS) status = cudnn.finalize(properties);
  std::int64_t bytes = 0;
  if (status == CUDNN_STATUS_SUCCESS) {
    status = cudnn.get(properties, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, 0, &bytes, nullptr);
  }
  if (status == CUDNN_STATUS_SUCCESS && bytes > 0) {
    to.resize(static_cast<std::size_t>(bytes));
    status =
        cudnn.get(properties, CUDNN_ATTR_DEVICEPROP_JSON_REPRESENTATION, CUDNN_TYPE_CHAR, bytes, &bytes, to.data());
    while (!to.empty() && to.back() == '\0') to.pop_back();
  }
  cudnn.destroy(properties);
  return status;
}

}  // namespace

std::string file_of(const void* symbol) {
  Dl_info info;
  return dladdr(symbol, &info) != 0 && info.dli_fname ? info.dli_fname : "";
}

Json nvml_facts() {
  const Library nvml("libnvidia-ml.so.1");
  auto* const start = nvml.function<int()>("nvmlInit_v2");
  auto* const count_devices = nvml.function<int(unsigned*)>("nvmlDeviceGetCount_v2");
  auto* const device_at = nvml.function<int(unsigned, NvmlDevice*)>("nvmlDeviceGetHandleByIndex_v2");
  if (!start || !count_devices || !device_at) return {{"missing", nvml.why()}};
  if (const int status = start(); status != 0) return {{"missing", "nvmlInit answers " + std::to_string(status)}};
  Json facts;
  std::array<char, 96> version{};
  auto* const driver = nvml.function<int(char*, unsigned)>("nvmlSystemGetDriverVersion");
  if (driver && driver(version.data(), version.size()) == 0) facts["driver"] = version.data();
  unsigned count = 0;
  count_devices(&count);
  facts["devices"] = Json::array();
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice device = nullptr;
    if (device_at(i, &device) == 0) facts["devices"].push_back(device_by_nvml(nvml, device));
  }
  if (auto* const stop = nvml.function<int()>("nvmlShutdown")) stop();
  return facts;
}

Json cudnn_facts(int device) {
  Cudnn cudnn;
  if (!cudnn.open()) return {{"missing", cudnn.graph.why() + cudnn.library.why()}};
  Json facts{{"version", cudnn.version()}};
  std::string text;
  const cudnnStatus_t status = read_properties(cudnn, device, text);
  if (status != CUDNN_STATUS_SUCCESS) {
    facts["missing"] = std::string("device properties: ") + cudnn.text(status);
    return facts;
  }
  facts["device_properties"] = text;  // as it came: cuDNN reads it back
  return facts;
}

}  // namespace regatta::gpu_facts
