// The fake runtime's calls about drivers and devices.
#include <cstdio>
#include <cstring>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/graphs.hpp"
#include "support/cuda/runtime/streams.hpp"

namespace regatta::cuda_fakes {
namespace {

constexpr int kSharedBytes = 48 * 1024;
constexpr int kSharedOptInBytes = 227 * 1024;

int physical(const Machine& m, int device) {
  return m.settings.is_restricted ? m.settings.visible.at(static_cast<std::size_t>(device)) : device;
}

bool exists(const Machine& m, int device) { return device >= 0 && static_cast<std::size_t>(device) < m.devices.size(); }

/// Fills in the properties of an H200, except those that the settings give.
void fill(const Machine& m, int device, cudaDeviceProp& p) {
  std::memset(&p, 0, sizeof p);
  std::snprintf(p.name, sizeof p.name, "Emulated GPU");
  const auto uuid = uuid_of(physical(m, device));
  std::memcpy(p.uuid.bytes, uuid.data(), uuid.size());
  p.totalGlobalMem = static_cast<std::size_t>(m.settings.memory_bytes);
  p.major = m.settings.compute_capability / 10;
  p.minor = m.settings.compute_capability % 10;
  p.warpSize = 32;
  p.multiProcessorCount = m.settings.multiprocessors;
  p.maxThreadsPerBlock = p.maxThreadsDim[0] = p.maxThreadsDim[1] = 1024;
  p.maxThreadsDim[2] = 64;
  p.maxGridSize[0] = 2147483647;
  p.maxGridSize[1] = p.maxGridSize[2] = 65535;
  p.maxThreadsPerMultiProcessor = 2048;
  p.maxBlocksPerMultiProcessor = 32;
  p.regsPerBlock = p.regsPerMultiprocessor = 65536;
  p.sharedMemPerBlock = kSharedBytes;
  p.sharedMemPerBlockOptin = kSharedOptInBytes;
  p.sharedMemPerMultiprocessor = 228 * 1024;
  p.reservedSharedMemPerBlock = 1024;
  p.l2CacheSize = 60 << 20;
  p.memoryBusWidth = 6144;
  p.textureAlignment = 512;
  p.ECCEnabled = 1;
  p.pciBusID = 0x10 + physical(m, device);
  p.asyncEngineCount = 3;
  p.concurrentKernels = p.canMapHostMemory = p.unifiedAddressing = p.cooperativeLaunch = 1;
  p.streamPrioritiesSupported = p.memoryPoolsSupported = p.hostRegisterSupported = p.clusterLaunch = 1;
}

int attribute(const Machine& m, int device, cudaDeviceAttr which, bool& known) {
  cudaDeviceProp p;
  fill(m, device, p);
  switch (which) {
    case cudaDevAttrMaxThreadsPerBlock:
      return p.maxThreadsPerBlock;
    case cudaDevAttrMaxSharedMemoryPerBlock:
      return kSharedBytes;
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      return kSharedOptInBytes;
    case cudaDevAttrMultiProcessorCount:
      return p.multiProcessorCount;
    case cudaDevAttrComputeCapabilityMajor:
      return p.major;
    case cudaDevAttrComputeCapabilityMinor:
      return p.minor;
    case cudaDevAttrMaxThreadsPerMultiProcessor:
      return p.maxThreadsPerMultiProcessor;
    case cudaDevAttrWarpSize:
      return p.warpSize;
    case cudaDevAttrL2CacheSize:
      return p.l2CacheSize;
    case cudaDevAttrMemoryPoolsSupported:
    case cudaDevAttrCooperativeLaunch:
    case cudaDevAttrConcurrentKernels:
    case cudaDevAttrEccEnabled:
    case cudaDevAttrHostRegisterSupported:
      return 1;
    case cudaDevAttrAsyncEngineCount:
      return p.asyncEngineCount;
    case cudaDevAttrPciBusId:
      return p.pciBusID;
    case cudaDevAttrPciDeviceId:
    case cudaDevAttrPciDomainId:
    case cudaDevAttrIntegrated:
    case cudaDevAttrComputeMode:
      return 0;
    case cudaDevAttrClockRate:
      return 1'980'000;  // kHz
    case cudaDevAttrMemoryClockRate:
      return 3'201'000;
    case cudaDevAttrGlobalMemoryBusWidth:
      return p.memoryBusWidth;
    default:
      known = false;
      return 0;
  }
}

}  // namespace
}  // namespace regatta::cuda_fakes

using namespace regatta::cuda_fakes;

extern "C" {

cudaError_t cudaDriverGetVersion(int* version) {
  return call(__func__, Needs::nothing, [&](Machine& m) {
    *version = m.settings.driver;
    return cudaSuccess;
  });
}

cudaError_t cudaRuntimeGetVersion(int* version) {
  return call(__func__, Needs::nothing, [&](Machine&) {
    *version = CUDART_VERSION;
    return cudaSuccess;
  });
}

cudaError_t cudaGetDeviceCount(int* count) {
  *count = 0;
  return call(__func__, Needs::driver, [&](Machine& m) {
    *count = static_cast<int>(m.devices.size());
    return cudaSuccess;
  });
}

cudaError_t cudaSetDevice(int device) {
  return call(__func__, Needs::driver, [&](Machine& m) {
    if (!exists(m, device)) return refused(cudaErrorInvalidDevice, "there is no device " + std::to_string(device));
    current_device() = device;
    return device_of(device).sticky;
  });
}

cudaError_t cudaGetDevice(int* device) {
  return call(__func__, Needs::driver, [&](Machine&) {
    *device = current_device();
    return cudaSuccess;
  });
}

cudaError_t cudaInitDevice(int device, unsigned /*device_flags*/, unsigned /*flags*/) {
  return call(__func__, Needs::driver,
              [&](Machine& m) { return exists(m, device) ? device_of(device).sticky : cudaErrorInvalidDevice; });
}

cudaError_t cudaSetDeviceFlags(unsigned /*flags*/) {
  return call(__func__, Needs::driver, [](Machine&) { return cudaSuccess; });
}

cudaError_t cudaGetDeviceProperties(cudaDeviceProp* properties, int device) {
  return call(__func__, Needs::driver, [&](Machine& m) {
    if (!exists(m, device)) return cudaErrorInvalidDevice;
    fill(m, device, *properties);
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr which, int device) {
  return call(__func__, Needs::driver, [&](Machine& m) {
    if (!exists(m, device)) return cudaErrorInvalidDevice;
    bool known = true;
    *value = attribute(m, device, which, known);
    return known ? cudaSuccess : refused(cudaErrorNotSupported, "the fake knows no attribute " + std::to_string(which));
  });
}

cudaError_t cudaDeviceGetPCIBusId(char* text, int length, int device) {
  return call(__func__, Needs::driver, [&](Machine& m) {
    if (!exists(m, device)) return cudaErrorInvalidDevice;
    if (length < 13) return cudaErrorInvalidValue;
    std::snprintf(text, static_cast<std::size_t>(length), "0000:%02x:00.0", 0x10 + physical(m, device));
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetStreamPriorityRange(int* least, int* greatest) {
  return call(__func__, Needs::device, [&](Machine&) {
    *least = 0;
    *greatest = -5;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSynchronize() {
  return call(__func__, Needs::device, [](Machine& m) {
    ++m.counters.synchronizations;
    for (const auto& stream : m.all_streams) {
      if (!stream->capture) continue;
      return broken(*stream, cudaErrorStreamCaptureUnsupported, "cudaDeviceSynchronize while a stream is captured");
    }
    reach_all(m, current_device());
    return waited(current_device());
  });
}

cudaError_t cudaDeviceReset() {
  return call(__func__, Needs::driver, [](Machine& m) {
    const std::int64_t memory = m.settings.memory_bytes;
    auto fresh = std::make_unique<Device>(static_cast<std::size_t>(memory));
    auto& device = m.devices.at(static_cast<std::size_t>(current_device()));
    fresh->legacy->device = current_device();
    fresh->default_pool = device->default_pool;
    fresh->current_pool = device->default_pool;
    *m.pools.find(device->default_pool) = Pool{current_device()};
    std::erase_if(m.all_streams, [&](const auto& stream) {
      if (stream->device == current_device()) stream->queue.clear();
      return stream->device == current_device();
    });
    m.streams.remove_if([&](const Stream& stream) { return stream.device == current_device(); });
    m.events.remove_if([&](const Event& event) { return event.device == current_device(); });
    m.all_streams.push_back(fresh->legacy);
    device = std::move(fresh);
    return cudaSuccess;
  });
}

}  // extern "C"
