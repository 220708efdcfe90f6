#include <cstdint>
#include <cstdlib>

#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {
namespace {

constexpr std::size_t kTooMuch = std::size_t{1} << 50;
constexpr std::size_t kMebibyte = std::size_t{1} << 20;

bool is_aligned(const void* memory) { return reinterpret_cast<std::uintptr_t>(memory) % 256 == 0; }

std::string too_much(Details& /*details*/) {
  void* memory = nullptr;
  const std::string answer = text(cudaMalloc(&memory, kTooMuch));
  // It is not sticky: memory is to be had afterwards.
  const cudaError_t after = cudaMalloc(&memory, 4);
  cudaFree(memory);
  cudaGetLastError();
  return answer + ", then " + text(after);
}

std::string too_much_of_a_pool(Details& /*details*/) {
  const Streams streams;
  void* memory = nullptr;
  const std::string answer = text(cudaMallocAsync(&memory, kTooMuch, streams.first));
  const cudaError_t after = cudaMallocAsync(&memory, 4, streams.first);
  cudaFreeAsync(memory, streams.first);
  cudaGetLastError();
  return answer + ", then " + text(after);
}

std::string memory_that_came_free(Details& details) {
  std::size_t before = 0;
  std::size_t during = 0;
  std::size_t after = 0;
  std::size_t all = 0;
  void* memory = nullptr;
  cudaMemGetInfo(&before, &all);
  cudaMalloc(&memory, 64 * kMebibyte);
  cudaMemGetInfo(&during, &all);
  cudaFree(memory);
  cudaMemGetInfo(&after, &all);
  details["all bytes"] = std::to_string(all);
  details["taken for 64 MiB"] = std::to_string(before - during);
  return text(before - during >= 64 * kMebibyte && after == before && all >= before);
}

std::uint64_t number(cudaMemPool_t pool, cudaMemPoolAttr attribute) {
  std::uint64_t value = ~std::uint64_t{0};
  cudaMemPoolGetAttribute(pool, attribute, &value);
  return value;
}

/// The bytes that the pool holds after memory was freed and waited for: with a threshold, and without one.
std::string pool_keeps(Details& details) {
  const Streams streams;
  cudaMemPool_t pool = nullptr;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  std::string answer;
  for (const std::uint64_t threshold : {std::uint64_t{0}, ~std::uint64_t{0}}) {
    std::uint64_t value = threshold;
    cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &value);
    void* memory = nullptr;
    cudaMallocAsync(&memory, 8 * kMebibyte, streams.first);
    cudaFreeAsync(memory, streams.first);
    cudaStreamSynchronize(streams.first);
    const std::uint64_t kept = number(pool, cudaMemPoolAttrReservedMemCurrent);
    details[threshold == 0 ? "kept without a threshold" : "kept with one"] = std::to_string(kept);
    answer += kept == 0 ? "nothing " : kept >= 8 * kMebibyte ? "all " : "some ";
  }
  std::uint64_t none = 0;
  cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &none);
  cudaMemPoolTrimTo(pool, 0);
  return answer + std::to_string(number(pool, cudaMemPoolAttrReservedMemCurrent));
}

std::string pool_counts(Details& /*details*/) {
  const Streams streams;
  cudaMemPool_t pool = nullptr;
  cudaDeviceGetDefaultMemPool(&pool, 0);
  const std::uint64_t before = number(pool, cudaMemPoolAttrUsedMemCurrent);
  void* memory = nullptr;
  cudaMallocAsync(&memory, 1000, streams.first);
  const std::uint64_t during = number(pool, cudaMemPoolAttrUsedMemCurrent);
  const bool aligned = is_aligned(memory);
  cudaFreeAsync(memory, streams.first);
  cudaStreamSynchronize(streams.first);
  const std::uint64_t after = number(pool, cudaMemPoolAttrUsedMemCurrent);
  return text(aligned && during >= before + 1000 && after == before);
}

std::string pool_with_a_maximum(Details& /*details*/) {
  const Streams streams;
  cudaMemPoolProps properties{};
  properties.allocType = cudaMemAllocationTypePinned;
  properties.location = {cudaMemLocationTypeDevice, 0};
  properties.maxSize = 64 * kMebibyte;
  cudaMemPool_t pool = nullptr;
  if (cudaMemPoolCreate(&pool, &properties) != cudaSuccess) return "no pool";
  void* small = nullptr;
  void* large = nullptr;
  std::string answer = text(cudaMallocFromPoolAsync(&small, kMebibyte, pool, streams.first));
  answer += ' ' + text(cudaMallocFromPoolAsync(&large, 128 * kMebibyte, pool, streams.first));
  cudaFreeAsync(small, streams.first);
  cudaStreamSynchronize(streams.first);
  cudaMemPoolDestroy(pool);
  cudaGetLastError();
  return answer;
}

std::string registered(Details& /*details*/) {
  void* const memory = std::aligned_alloc(4096, 8192);
  std::string answer = text(cudaHostRegister(memory, 8192, cudaHostRegisterDefault));
  answer += ' ' + text(cudaHostRegister(memory, 8192, cudaHostRegisterDefault));
  answer += ' ' + text(cudaHostUnregister(memory));
  answer += ' ' + text(cudaHostUnregister(memory));
  std::free(memory);
  cudaGetLastError();
  return answer;
}

std::string kinds(Details& /*details*/) {
  const DeviceFloats device(4);
  const PinnedFloats pinned(4);
  int pageable = 0;
  std::string answer;
  for (const void* memory : {static_cast<const void*>(device.data), static_cast<const void*>(pinned.data),
                             static_cast<const void*>(&pageable)}) {
    cudaPointerAttributes attributes;
    if (cudaPointerGetAttributes(&attributes, memory) != cudaSuccess) return "an error";
    answer += attributes.type == cudaMemoryTypeDevice         ? "device "
              : attributes.type == cudaMemoryTypeHost         ? "host "
              : attributes.type == cudaMemoryTypeUnregistered ? "unregistered "
                                                              : "other ";
  }
  return answer;
}

}  // namespace

std::vector<Case> memory_cases() {
  return {
      {"memory: no bytes", "cudaSuccess null",
       [](Details&) {
         void* memory = &memory;
         const std::string answer = text(cudaMalloc(&memory, 0));
         return answer + (memory ? " not null" : " null");
       }},
      {"memory: too much", "cudaErrorMemoryAllocation, then cudaSuccess", too_much},
      {"memory: too much of a pool", "cudaErrorMemoryAllocation, then cudaSuccess", too_much_of_a_pool},
      {"memory: cudaMalloc aligns to 256 bytes", "yes",
       [](Details&) {
         const DeviceFloats one(3);
         const DeviceFloats two(3);
         return text(is_aligned(one.data) && is_aligned(two.data));
       }},
      {"memory: nothing is freed", "cudaSuccess", [](Details&) { return text(cudaFree(nullptr)); }},
      {"memory: pinned nothing is freed", "cudaSuccess", [](Details&) { return text(cudaFreeHost(nullptr)); }},
      {"memory: the host's is not freed by cudaFree", "cudaErrorInvalidValue",
       [](Details&) {
         std::vector<float> host(64);
         return text(cudaFree(host.data()));
       }},
      {"memory: the middle of an allocation is not freed", "cudaErrorInvalidValue",
       [](Details&) {
         const DeviceFloats device(1024);
         return text(cudaFree(device.data + 512));
       }},
      {"memory: a pool of its own ends at its maximum", "cudaSuccess cudaErrorMemoryAllocation", pool_with_a_maximum},
      {"memory: what is free grows and shrinks", "yes", memory_that_came_free},
      {"memory: a pool keeps what its threshold says", "nothing all 0", pool_keeps},
      {"memory: a pool counts what is used", "yes", pool_counts},
      // The runtime takes it. A request for nothing is mostly a wrong count.
      {"memory: no bytes of a pool", "cudaErrorInvalidValue",
       [](Details&) {
         const Streams streams;
         void* memory = nullptr;
         return text(cudaMallocAsync(&memory, 0, streams.first));
       },
       Agreement::fake_may_refuse},
      {"memory: registering",
       "cudaSuccess cudaErrorHostMemoryAlreadyRegistered cudaSuccess "
       "cudaErrorHostMemoryNotRegistered",
       registered},
      {"memory: kinds of pointers", "device host unregistered ", kinds},
      {"memory: pageable memory is not freed as pinned", "cudaErrorInvalidValue",
       [](Details&) {
         std::vector<float> host(64);
         return text(cudaFreeHost(host.data()));
       }},
  };
}

}  // namespace regatta::gpu_contract
