// The fake runtime's calls about memory: the device's, the pinned one's, pools.
#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/graphs.hpp"
#include "support/cuda/runtime/streams.hpp"

namespace regatta::cuda_fakes {
namespace {

constexpr std::size_t kPinnedAlignment = 4096;

std::uint64_t counted(std::size_t bytes) { return (bytes + kCountedBytes - 1) / kCountedBytes * kCountedBytes; }

/// Bytes of the device that neither cudaMalloc nor a pool holds.
std::uint64_t free_bytes(const Device& device) {
  std::uint64_t in_pools = 0;
  for (const auto& [memory, owner] : device.pooled) in_pools += owner.second;
  const std::uint64_t taken = device.memory.live_bytes() - in_pools + device.reserved_bytes;
  return device.memory.capacity() > taken ? device.memory.capacity() - taken : 0;
}

cudaError_t take(Machine& m, Device& device, void** memory, std::size_t bytes, bool is_usable) {
  *memory = device.memory.take(bytes, is_usable);
  if (!*memory) return refused(cudaErrorMemoryAllocation, "the process has no address space left");
  ++m.counters.allocations;
  return cudaSuccess;
}

void give_back(Device& device, void* memory) {
  try {
    device.memory.give_back(memory);
  } catch (const std::exception& problem) {
    complain(problem.what());
  }
}

/// Pools keep what they reserved up to their thresholds when the host waits.
void trim_pool(Device& device, Pool& pool, std::uint64_t keep) {
  const std::uint64_t kept = std::max(pool.used, std::min(pool.reserved, keep));
  device.reserved_bytes -= pool.reserved - kept;
  pool.reserved = kept;
}

cudaError_t take_from_pool(Machine& m, void** memory, std::size_t bytes, Pool& pool) {
  Device& device = device_of(pool.device);
  const std::uint64_t wanted = counted(bytes);
  const std::uint64_t used = pool.used + wanted;
  const std::uint64_t more = used > pool.reserved ? used - pool.reserved : 0;
  if (pool.maximum != 0 && used > pool.maximum) return refused(cudaErrorMemoryAllocation, "the pool's maximum");
  if (more > free_bytes(device)) return refused(cudaErrorMemoryAllocation, "the device has no memory left");
  if (const cudaError_t error = take(m, device, memory, bytes, false); error != cudaSuccess) return error;
  pool.used = used;
  pool.reserved += more;
  device.reserved_bytes += more;
  pool.used_high = std::max(pool.used_high, pool.used);
  pool.reserved_high = std::max(pool.reserved_high, pool.reserved);
  return cudaSuccess;
}

cudaError_t malloc_async(Machine& m, void** memory, std::size_t bytes, cudaMemPool_t handle, cudaStream_t in) {
  const auto stream = find_stream(m, in);
  const auto pool = m.pools.find(handle);
  if (!stream || !pool) return refused(cudaErrorInvalidResourceHandle, "no such stream or pool");
  if (bytes == 0) return cudaErrorInvalidValue;
  if (stream->capture) {
    return broken(*stream, cudaErrorStreamCaptureUnsupported, "the fake knows no allocation in graphs");
  }
  if (const cudaError_t error = take_from_pool(m, memory, bytes, *pool); error != cudaSuccess) return error;
  Device& device = device_of(pool->device);
  device.pooled[*memory] = {pool, counted(bytes)};
  Item item;
  item.work = {"cudaMallocAsync", WorkKind::host, [&device, taken = *memory] {
                 if (Allocation* const allocation = device.memory.find(taken)) allocation->is_usable = true;
               }};
  issue(m, stream, std::move(item));
  return cudaSuccess;
}

cudaError_t free_async(Machine& m, void* memory, cudaStream_t in) {
  const auto stream = find_stream(m, in);
  if (!stream) return refused(cudaErrorInvalidResourceHandle, "no such stream");
  if (!memory) return cudaSuccess;
  const int owner = device_that_owns(m, memory);
  Allocation* const allocation = owner < 0 ? nullptr : device_of(owner).memory.find(memory);
  if (!allocation || !device_of(owner).memory.begins(memory) || allocation->is_freeing) {
    complain("cudaFreeAsync of memory that is not allocated");
    return cudaErrorInvalidValue;  // as a device answers, which does not stop there
  }
  if (stream->capture) {
    return broken(*stream, cudaErrorStreamCaptureUnsupported, "the fake knows no freeing in graphs");
  }
  allocation->is_freeing = true;
  ++m.counters.frees;
  Device& device = device_of(owner);
  Item item;
  item.work = {"cudaFreeAsync", WorkKind::host, [&device, memory] {
                 if (const auto pooled = device.pooled.find(memory); pooled != device.pooled.end()) {
                   pooled->second.first->used -= pooled->second.second;
                   device.pooled.erase(pooled);
                 }
                 give_back(device, memory);
               }};
  issue(m, stream, std::move(item));
  return cudaSuccess;
}

cudaError_t free_now(Machine& m, void* memory) {
  if (!memory) return cudaSuccess;
  const int owner = device_that_owns(m, memory);
  if (is_forbidden_by_capture(m, "cudaFree")) return refused(cudaErrorStreamCaptureUnsupported, m.refusal);
  Allocation* const allocation = owner < 0 ? nullptr : device_of(owner).memory.find(memory);
  if (!allocation || !device_of(owner).memory.begins(memory) || allocation->is_freeing) {
    complain("cudaFree of memory that is not allocated");
    return cudaErrorInvalidValue;
  }
  reach_all(m, owner);
  Device& device = device_of(owner);
  if (const auto pooled = device.pooled.find(memory); pooled != device.pooled.end()) {
    pooled->second.first->used -= pooled->second.second;
    device.pooled.erase(pooled);
  }
  give_back(device, memory);
  ++m.counters.frees;
  return device.sticky;
}

cudaError_t pin(Machine& m, void** memory, std::size_t bytes) {
  if (is_forbidden_by_capture(m, "cudaHostAlloc")) return refused(cudaErrorStreamCaptureUnsupported, m.refusal);
  if (bytes == 0) {
    *memory = nullptr;
    return cudaSuccess;
  }
  if (posix_memalign(memory, kPinnedAlignment, bytes) != 0) return cudaErrorMemoryAllocation;
  std::memset(*memory, 0xff, bytes);
  m.pinned[static_cast<char*>(*memory)] = bytes;
  ++m.counters.host_allocations;
  return cudaSuccess;
}

/// Waits for the device's copies to or from the memory.
cudaError_t unpin(Machine& m, void* memory, bool was_registered) {
  const auto found = m.pinned.find(static_cast<char*>(memory));
  const bool is_registered = m.is_registered.count(static_cast<char*>(memory)) != 0;
  if (found == m.pinned.end() || is_registered != was_registered) {
    return refused(was_registered ? cudaErrorHostMemoryNotRegistered : cudaErrorInvalidValue,
                   "the address is not the beginning of such memory");
  }
  for (std::size_t device = 0; device < m.devices.size(); ++device) reach_all(m, static_cast<int>(device));
  m.pinned.erase(found);
  if (was_registered) {
    m.is_registered.erase(static_cast<char*>(memory));
  } else {
    std::free(memory);
  }
  return waited(current_device());
}

/// Reads or writes an attribute of eight bytes.
cudaError_t pool_number(Pool& pool, cudaMemPoolAttr which, std::uint64_t** number) {
  switch (which) {
    case cudaMemPoolAttrReleaseThreshold:
      *number = &pool.release_threshold;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemCurrent:
      *number = &pool.reserved;
      return cudaSuccess;
    case cudaMemPoolAttrReservedMemHigh:
      *number = &pool.reserved_high;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemCurrent:
      *number = &pool.used;
      return cudaSuccess;
    case cudaMemPoolAttrUsedMemHigh:
      *number = &pool.used_high;
      return cudaSuccess;
    default:
      return refused(cudaErrorNotSupported, "the fake knows no such attribute of a pool");
  }
}

}  // namespace

cudaError_t waited(int device) {
  Device& on = device_of(device);
  machine().pools.each([&](Pool& pool) {
    if (pool.device == device) trim_pool(on, pool, pool.release_threshold);
  });
  return on.sticky;
}

}  // namespace regatta::cuda_fakes

using namespace regatta::cuda_fakes;

extern "C" {

cudaError_t cudaMalloc(void** memory, size_t bytes) {
  return call(__func__, Needs::device, [&](Machine& m) {
    if (is_forbidden_by_capture(m, "cudaMalloc")) return refused(cudaErrorStreamCaptureUnsupported, m.refusal);
    Device& device = device_of(current_device());
    *memory = nullptr;
    if (bytes == 0) return cudaSuccess;
    if (counted(bytes) > free_bytes(device)) return refused(cudaErrorMemoryAllocation, "the device has no memory left");
    return take(m, device, memory, bytes, true);
  });
}

cudaError_t cudaFree(void* memory) {
  return call(__func__, Needs::device, [&](Machine& m) { return free_now(m, memory); });
}

cudaError_t cudaMallocAsync(void** memory, size_t bytes, cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) {
    return malloc_async(m, memory, bytes, device_of(current_device()).current_pool, stream);
  });
}

cudaError_t cudaMallocFromPoolAsync(void** memory, size_t bytes, cudaMemPool_t pool, cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) { return malloc_async(m, memory, bytes, pool, stream); });
}

cudaError_t cudaFreeAsync(void* memory, cudaStream_t stream) {
  return call(__func__, Needs::device, [&](Machine& m) { return free_async(m, memory, stream); });
}

cudaError_t cudaMallocHost(void** memory, size_t bytes) {
  return call(__func__, Needs::device, [&](Machine& m) { return pin(m, memory, bytes); });
}

cudaError_t cudaHostAlloc(void** memory, size_t bytes, unsigned flags) {
  return call(__func__, Needs::device, [&](Machine& m) {
    if (flags & ~static_cast<unsigned>(cudaHostAllocPortable)) {
      return refused(cudaErrorNotSupported, "the fake knows no mapped or write-combined memory");
    }
    return pin(m, memory, bytes);
  });
}

cudaError_t cudaFreeHost(void* memory) {
  return call(__func__, Needs::device, [&](Machine& m) {
    if (!memory) return cudaSuccess;
    if (is_forbidden_by_capture(m, "cudaFreeHost")) return refused(cudaErrorStreamCaptureUnsupported, m.refusal);
    return unpin(m, memory, false);
  });
}

cudaError_t cudaHostRegister(void* memory, size_t bytes, unsigned flags) {
  return call(__func__, Needs::device, [&](Machine& m) {
    if (!memory || bytes == 0) return cudaErrorInvalidValue;
    if (flags & ~static_cast<unsigned>(cudaHostRegisterPortable | cudaHostRegisterReadOnly)) {
      return refused(cudaErrorNotSupported, "the fake knows no mapped memory");
    }
    if (why_not_pinned(m, memory, 1).empty()) return cudaErrorHostMemoryAlreadyRegistered;
    m.pinned[static_cast<char*>(memory)] = bytes;
    m.is_registered[static_cast<char*>(memory)] = true;
    return cudaSuccess;
  });
}

cudaError_t cudaHostUnregister(void* memory) {
  return call(__func__, Needs::device, [&](Machine& m) { return unpin(m, memory, true); });
}

cudaError_t cudaPointerGetAttributes(cudaPointerAttributes* attributes, const void* memory) {
  return call(__func__, Needs::device, [&](Machine& m) {
    std::memset(attributes, 0, sizeof *attributes);
    attributes->type = cudaMemoryTypeUnregistered;
    attributes->device = device_that_owns(m, memory);
    if (attributes->device >= 0 && device_of(attributes->device).memory.find(memory)) {
      attributes->type = cudaMemoryTypeDevice;
      attributes->devicePointer = const_cast<void*>(memory);
    } else if (why_not_pinned(m, memory, 1).empty()) {
      attributes->type = cudaMemoryTypeHost;
      attributes->hostPointer = const_cast<void*>(memory);
    }
    return cudaSuccess;
  });
}

cudaError_t cudaMemGetInfo(size_t* unused, size_t* all) {
  return call(__func__, Needs::device, [&](Machine&) {
    const Device& device = device_of(current_device());
    *unused = free_bytes(device);
    *all = device.memory.capacity();
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t* pool, int device) {
  return call(__func__, Needs::driver, [&](Machine& m) {
    if (device < 0 || static_cast<std::size_t>(device) >= m.devices.size()) return cudaErrorInvalidDevice;
    *pool = device_of(device).default_pool;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t* pool, int device) {
  return call(__func__, Needs::driver, [&](Machine& m) {
    if (device < 0 || static_cast<std::size_t>(device) >= m.devices.size()) return cudaErrorInvalidDevice;
    *pool = device_of(device).current_pool;
    return cudaSuccess;
  });
}

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t pool) {
  return call(__func__, Needs::driver, [&](Machine& m) {
    if (device < 0 || static_cast<std::size_t>(device) >= m.devices.size()) return cudaErrorInvalidDevice;
    const auto found = m.pools.find(pool);
    if (!found || found->device != device) return refused(cudaErrorInvalidValue, "a pool of another device, or none");
    device_of(device).current_pool = pool;
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t* pool, const cudaMemPoolProps* properties) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const bool is_known = properties->allocType == cudaMemAllocationTypePinned &&
                          properties->handleTypes == cudaMemHandleTypeNone &&
                          properties->location.type == cudaMemLocationTypeDevice;
    if (!is_known) return refused(cudaErrorNotSupported, "the fake knows only pinned pools of a device");
    auto made = std::make_shared<Pool>();
    made->device = properties->location.id;
    if (made->device < 0 || static_cast<std::size_t>(made->device) >= m.devices.size()) return cudaErrorInvalidDevice;
    made->maximum = properties->maxSize;
    *pool = m.pools.add<cudaMemPool_t>(std::move(made));
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto found = m.pools.find(pool);
    if (!found || device_of(found->device).default_pool == pool) {
      return refused(cudaErrorInvalidValue, "no pool that could be destroyed");
    }
    Device& device = device_of(found->device);
    if (device.current_pool == pool) device.current_pool = device.default_pool;
    trim_pool(device, *found, 0);
    m.pools.remove(pool);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep_bytes) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto found = m.pools.find(pool);
    if (!found) return cudaErrorInvalidValue;
    reach_all(m, found->device);
    trim_pool(device_of(found->device), *found, keep_bytes);
    return waited(found->device);
  });
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto found = m.pools.find(pool);
    if (!found) return cudaErrorInvalidValue;
    // These attributes allow more reuse than is done here: addresses are never given out twice.
    if (which == cudaMemPoolReuseFollowEventDependencies || which == cudaMemPoolReuseAllowOpportunistic ||
        which == cudaMemPoolReuseAllowInternalDependencies) {
      return cudaSuccess;
    }
    std::uint64_t* number = nullptr;
    if (const cudaError_t error = pool_number(*found, which, &number); error != cudaSuccess) return error;
    const bool is_high = which == cudaMemPoolAttrReservedMemHigh || which == cudaMemPoolAttrUsedMemHigh;
    if (which != cudaMemPoolAttrReleaseThreshold && !is_high) return cudaErrorInvalidValue;
    std::memcpy(number, value, sizeof *number);
    return cudaSuccess;
  });
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, cudaMemPoolAttr which, void* value) {
  return call(__func__, Needs::device, [&](Machine& m) {
    const auto found = m.pools.find(pool);
    if (!found) return cudaErrorInvalidValue;
    std::uint64_t* number = nullptr;
    if (const cudaError_t error = pool_number(*found, which, &number); error != cudaSuccess) return error;
    std::memcpy(value, number, sizeof *number);
    return cudaSuccess;
  });
}

}  // extern "C"
