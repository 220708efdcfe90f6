// gpu_facts [FILE]: what the GPUs of this machine are, as JSON in FILE (device.json): properties and attributes by the
// runtime, cuDNN's properties of the first device, NVML's facts, versions. Exit code 2: no device, or FILE cannot be
// written.
#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <cstdio>
#include <fstream>

#include "gpu/facts/libraries.hpp"

namespace {

using namespace regatta::gpu_facts;

constexpr int kCannot = 2;
constexpr int kAttributes = 160;  // more than there are

std::string uuid_of(const cudaDeviceProp& p) {
  std::string text = "GPU-";
  for (std::size_t i = 0; i < sizeof p.uuid.bytes; ++i) {
    if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<unsigned>(static_cast<unsigned char>(p.uuid.bytes[i])));
    text += digits;
  }
  return text;
}

Json properties_of(int device) {
  cudaDeviceProp p;
  if (cudaGetDeviceProperties(&p, device) != cudaSuccess) return {};
  Json facts{{"name", p.name},
             {"uuid", uuid_of(p)},
             {"compute_capability", p.major * 10 + p.minor},
             {"memory_bytes", p.totalGlobalMem},
             {"multiprocessors", p.multiProcessorCount},
             {"shared_bytes_per_block", p.sharedMemPerBlock},
             {"shared_bytes_per_block_opt_in", p.sharedMemPerBlockOptin},
             {"shared_bytes_per_multiprocessor", p.sharedMemPerMultiprocessor},
             {"reserved_shared_bytes_per_block", p.reservedSharedMemPerBlock},
             {"registers_per_multiprocessor", p.regsPerMultiprocessor},
             {"registers_per_block", p.regsPerBlock},
             {"threads_per_multiprocessor", p.maxThreadsPerMultiProcessor},
             {"blocks_per_multiprocessor", p.maxBlocksPerMultiProcessor},
             {"l2_bytes", p.l2CacheSize},
             {"memory_bus_bits", p.memoryBusWidth},
             {"copy_engines", p.asyncEngineCount},
             {"ecc", p.ECCEnabled},
             {"memory_pools", p.memoryPoolsSupported}};
  for (int attribute = 1; attribute < kAttributes; ++attribute) {
    int value = 0;
    const auto which = static_cast<cudaDeviceAttr>(attribute);
    if (cudaDeviceGetAttribute(&value, which, device) == cudaSuccess) {
      facts["attributes"][std::to_string(attribute)] = value;
    }
  }
  cudaGetLastError();
  return facts;
}

Json versions() {
  int driver = 0;
  int runtime = 0;
  cudaDriverGetVersion(&driver);
  cudaRuntimeGetVersion(&runtime);
  return {{"driver", driver},
          {"runtime", runtime},
          {"cublasLt", cublasLtGetVersion()},
          {"cublasLt_file", file_of(reinterpret_cast<const void*>(&cublasLtGetVersion))}};
}

}  // namespace

int main(int count, char** arguments) {
  int devices = 0;
  if (const cudaError_t error = cudaGetDeviceCount(&devices); error != cudaSuccess) {
    std::printf("no device to describe: %s (%s)\n", cudaGetErrorName(error), cudaGetErrorString(error));
    return kCannot;
  }
  Json document{{"versions", versions()}, {"devices", Json::array()}};
  for (int device = 0; device < devices; ++device) document["devices"].push_back(properties_of(device));
  document["cudnn"] = cudnn_facts(0);
  document["nvml"] = nvml_facts();
  const char* const path = count > 1 ? arguments[1] : "device.json";
  std::ofstream file(path);
  file << document.dump(1) << '\n';
  if (!file.flush()) {
    std::printf("%s cannot be written: name another file\n", path);
    return kCannot;
  }
  std::printf("%d devices described in %s\n", devices, path);
  return 0;
}
