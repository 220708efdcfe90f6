#include <cstring>

#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {
namespace {

int device_count() {
  int count = 0;
  cudaGetDeviceCount(&count);
  return count;
}

std::string attributes_that_are_unknown() {
  std::string unknown;
  for (const cudaDeviceAttr attribute :
       {cudaDevAttrMultiProcessorCount, cudaDevAttrComputeCapabilityMajor, cudaDevAttrComputeCapabilityMinor,
        cudaDevAttrMaxSharedMemoryPerBlockOptin, cudaDevAttrMemoryPoolsSupported, cudaDevAttrAsyncEngineCount,
        cudaDevAttrClockRate, cudaDevAttrMemoryClockRate, cudaDevAttrGlobalMemoryBusWidth, cudaDevAttrL2CacheSize,
        cudaDevAttrEccEnabled, cudaDevAttrComputeMode}) {
    int value = -1;
    if (cudaDeviceGetAttribute(&value, attribute, 0) != cudaSuccess || value < 0) {
      unknown += std::to_string(attribute) + ' ';
    }
  }
  return unknown;
}

std::string properties(Details& details) {
  cudaDeviceProp p;
  const cudaError_t error = cudaGetDeviceProperties(&p, 0);
  if (error != cudaSuccess) return text(error);
  details["name"] = p.name;
  details["multiprocessors"] = std::to_string(p.multiProcessorCount);
  details["compute capability"] = std::to_string(p.major) + '.' + std::to_string(p.minor);
  details["memory bytes"] = std::to_string(p.totalGlobalMem);
  const bool is_plausible = p.warpSize == 32 && p.maxThreadsPerBlock == 1024 && p.sharedMemPerBlock == 48 * 1024 &&
                            p.sharedMemPerBlockOptin >= p.sharedMemPerBlock && p.multiProcessorCount > 0;
  return text(is_plausible);
}

std::string uuids_differ(Details& /*details*/) {
  std::vector<std::string> all;
  for (int device = 0; device < device_count(); ++device) {
    cudaDeviceProp p;
    if (cudaGetDeviceProperties(&p, device) != cudaSuccess) return "no properties";
    std::string uuid(p.uuid.bytes, sizeof p.uuid.bytes);
    if (uuid == std::string(sizeof p.uuid.bytes, '\0')) return "a UUID of zeros";
    for (const std::string& other : all) {
      if (other == uuid) return "two devices with one UUID";
    }
    all.push_back(std::move(uuid));
  }
  return "they differ";
}

std::string bus_id(Details& /*details*/) {
  char id[32] = {};
  const cudaError_t error = cudaDeviceGetPCIBusId(id, sizeof id, 0);
  if (error != cudaSuccess) return text(error);
  return text(std::strlen(id) >= 12 && id[4] == ':' && id[7] == ':');
}

}  // namespace

std::vector<Case> device_cases() {
  return {
      {"device: there is one", "yes", [](Details&) { return text(device_count() > 0); }},
      {"device: the runtime is the one of the headers", "yes",
       [](Details& details) {
         int version = 0;
         cudaRuntimeGetVersion(&version);
         details["runtime"] = std::to_string(version);
         return text(version == CUDART_VERSION);
       }},
      {"device: the driver is no older than the runtime", "yes",
       [](Details& details) {
         int version = 0;
         cudaDriverGetVersion(&version);
         details["driver"] = std::to_string(version);
         return text(version / 1000 >= CUDART_VERSION / 1000);
       }},
      {"device: the one behind the last is refused", "cudaErrorInvalidDevice",
       [](Details&) {
         const std::string answer = text(cudaSetDevice(device_count()));
         cudaSetDevice(0);
         return answer;
       }},
      {"device: all attributes that the engine asks for are known", "",
       [](Details&) { return attributes_that_are_unknown(); }},
      {"device: properties are plausible", "yes", properties},
      {"device: UUIDs", "they differ", uuids_differ},
      {"device: bus id has three parts", "yes", bus_id},
      {"device: an error is told once", "cudaErrorInvalidDevice cudaSuccess",
       [](Details&) {
         cudaGetLastError();
         cudaSetDevice(-1);
         const std::string first = text(cudaGetLastError());
         return first + ' ' + text(cudaGetLastError());
       }},
      {"device: looking at an error leaves it", "cudaErrorInvalidDevice cudaErrorInvalidDevice",
       [](Details&) {
         cudaSetDevice(-1);
         const std::string first = text(cudaPeekAtLastError());
         return first + ' ' + text(cudaGetLastError());
       }},
      {"device: priorities go down", "yes",
       [](Details& details) {
         int least = -1;
         int greatest = 1;
         cudaDeviceGetStreamPriorityRange(&least, &greatest);
         details["priorities"] = std::to_string(least) + " to " + std::to_string(greatest);
         return text(greatest <= least);
       }},
  };
}

}  // namespace regatta::gpu_contract
