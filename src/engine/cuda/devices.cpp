#include <cublasLt.h>

#include <array>
#include <cstdio>
#include <string>

#include "engine/cuda/convolutions/convolutions.hpp"
#include "engine/cuda/cuda.hpp"
#include "engine/cuda/device/check.hpp"

namespace regatta::engine::cuda {

namespace {

/// "13.0" from 13000.
std::string version_of(int number) { return std::to_string(number / 1000) + '.' + std::to_string(number % 1000 / 10); }

int driver_version() {
  int version = 0;
  const cudaError_t error = cudaDriverGetVersion(&version);
  return error == cudaSuccess ? version : 0;
}

int runtime_version() {
  int version = 0;
  require(cudaRuntimeGetVersion(&version), "cudaRuntimeGetVersion");
  return version;
}

/// "13.0.2" from 130002.
std::string cublaslt_version() {
  const std::size_t number = cublasLtGetVersion();
  return std::to_string(number / 10000) + '.' + std::to_string(number / 100 % 100) + '.' + std::to_string(number % 100);
}

/// Throws the reason why no device can be used, in one line.
[[noreturn]] void refuse_machine(cudaError_t error) {
  static_cast<void>(cudaGetLastError());
  const int driver = driver_version();
  const std::string text = std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
  if (driver == 0) {
    throw DeviceError("no NVIDIA driver (" + text +
                      "; device cuda computes nothing without it); install one for CUDA " +
                      version_of(runtime_version()) + ", or take device cpu");
  }
  if (driver < runtime_version()) {
    throw DeviceError("the NVIDIA driver is too old: it serves CUDA " + version_of(driver) +
                      ", this plugin was built with " + version_of(runtime_version()) + " (" + text +
                      "); install a newer driver, or take device cpu");
  }
  if (error != cudaErrorNoDevice) require(error, "cudaGetDeviceCount");
  throw DeviceError("no NVIDIA device that this process may use (" + text +
                    "; device cuda computes nothing without one); look at nvidia-smi and CUDA_VISIBLE_DEVICES, or "
                    "take device cpu");
}

std::string uuid_text(const cudaUUID_t& uuid) {
  std::string text = "GPU";
  for (int i = 0; i < 16; ++i) {
    if (i == 0 || i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    std::array<char, 3> digits{};
    std::snprintf(digits.data(), digits.size(), "%02x",
                  static_cast<unsigned>(static_cast<unsigned char>(uuid.bytes[i])));
    text += digits.data();
  }
  return text;
}

PluginDevice describe(int index) {
  cudaDeviceProp properties{};
  require(cudaGetDeviceProperties(&properties, index), "cudaGetDeviceProperties");
  PluginDevice device{};
  std::string(properties.name).copy(device.name, sizeof device.name - 1);  // the rest are zeros
  uuid_text(properties.uuid).copy(device.uuid, sizeof device.uuid - 1);
  std::snprintf(device.bus_id, sizeof device.bus_id, "%08x:%02x:%02x.0", static_cast<unsigned>(properties.pciDomainID),
                static_cast<unsigned>(properties.pciBusID), static_cast<unsigned>(properties.pciDeviceID));
  device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.compute_capability = 10 * properties.major + properties.minor;
  device.multiprocessors = properties.multiProcessorCount;
  return device;
}

}  // namespace

std::vector<PluginDevice> list_devices() {
  int count = 0;
  const cudaError_t error = cudaGetDeviceCount(&count);
  if (error != cudaSuccess || count == 0) refuse_machine(error == cudaSuccess ? cudaErrorNoDevice : error);
  std::vector<PluginDevice> devices;
  for (int index = 0; index < count; ++index) devices.push_back(describe(index));
  return devices;
}

const char* versions() {
  static const std::string text = [] {
    const int driver = driver_version();
    return (driver == 0 ? "no driver" : "driver " + version_of(driver)) + ", runtime " + version_of(CUDART_VERSION) +
           ", cuBLASLt " + cublaslt_version() + ", " + cudnn_version();
  }();
  return text.c_str();
}

}  // namespace regatta::engine::cuda
