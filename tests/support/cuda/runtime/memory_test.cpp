#include <gmock/gmock.h>

#include <cmath>
#include <cstring>

#include "support/cuda/fixture.hpp"

namespace regatta::cuda_fakes {
namespace {

using ::testing::HasSubstr;

#if defined(__SANITIZE_ADDRESS__)
constexpr bool kHasAddressSanitizer = true;
#elif defined(__has_feature)
constexpr bool kHasAddressSanitizer = __has_feature(address_sanitizer);
#else
constexpr bool kHasAddressSanitizer = false;
#endif
constexpr const char* kDeath = "Sanitizer|touched device memory";  // sanitizers have handlers of their own

using DeviceMemoryDeath = FakeCuda;

TEST_F(DeviceMemoryDeath, HostReadsEndTheProcess) {
  const float* const memory = device_memory(10);
  EXPECT_DEATH(static_cast<void>(std::printf("%f", static_cast<double>(memory[3]))), kDeath);
}

TEST_F(DeviceMemoryDeath, HostReadsAfterWorkEndTheProcess) {
  float* const memory = device_memory(10);
  write(memory, {1, 2, 3});
  EXPECT_DEATH(static_cast<void>(std::printf("%f", static_cast<double>(memory[1]))), kDeath);
}

TEST_F(DeviceMemoryDeath, KernelsPastTheEndOfALargeAllocationEndTheProcess) {
  constexpr std::size_t kFloats = 1 << 20;
  float* const memory = device_memory(kFloats);
  EXPECT_DEATH(
      {
        enqueue(stream, "past", [=] { memory[kFloats] = 1; });
        cudaStreamSynchronize(stream);
      },
      kDeath);
}

TEST_F(DeviceMemoryDeath, KernelsThatTouchLargeFreedMemoryEndTheProcess) {
  float* const memory = device_memory(1 << 20);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_DEATH(
      {
        enqueue(stream, "stale", [=] { memory[3] = 1; });
        cudaStreamSynchronize(stream);
      },
      kDeath);
}

TEST_F(FakeCuda, DeviceMemoryIsUnwrittenAtFirst) {
  for (const float value : read(device_memory(1000), 1000)) EXPECT_TRUE(std::isnan(value));
}

TEST_F(FakeCuda, AddressesAreAlignedAndNeverGivenOutTwice) {
  void* first = nullptr;
  void* second = nullptr;
  ASSERT_EQ(cudaMalloc(&first, 100), cudaSuccess);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(first) % 256, 0U);
  ASSERT_EQ(cudaFree(first), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&second, 100), cudaSuccess);
  EXPECT_NE(first, second);
}

class WrongWrites : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    if (kHasAddressSanitizer) GTEST_SKIP() << "the sanitizer finds them first";
  }
  void write_at(float* memory, std::ptrdiff_t place) {
    ASSERT_EQ(enqueue(stream, "wrong", [=] { memory[place] = 1; }), cudaSuccess);
  }
};

TEST_F(WrongWrites, BehindAnAllocationAreFoundWhenItIsFreed) {
  float* const memory = device_memory(10);
  write_at(memory, 10);
  EXPECT_EQ(cudaFree(memory), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("behind an allocation of 40 bytes"));
}

TEST_F(WrongWrites, InFrontOfAnAllocationAreFoundAtTheEnd) {
  write_at(device_memory(10), -1);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(control.complaints(), 1);
}

TEST_F(WrongWrites, IntoFreedMemoryAreFoundAtTheEnd) {
  float* const memory = device_memory(10);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  write_at(memory, 3);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(control.complaints(), 1);
  EXPECT_THAT(complaint(), HasSubstr("freed memory was written"));
}

TEST_F(WrongWrites, AreNamedAtOnceWithFullProtection) {
  control.set_protection(Protection::on);
  write_at(device_memory(10), 10);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("wrong: bytes in front of or behind an allocation of 40 bytes"));
}

TEST_F(FakeCuda, FreedMemoryThatWorkStillUsesIsComplainedOf) {
  float* const memory = device_memory(10);
  ASSERT_EQ(enqueue(stream, {"reader", WorkKind::kernel, [] {}, {{memory, 40, false, "input"}}}), cudaSuccess);
  ASSERT_EQ(cudaFreeAsync(memory, other), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("reader: input: freed memory"));
  EXPECT_THAT(cudaGetErrorString(cudaErrorIllegalAddress), HasSubstr("reader: input: freed memory"));
}

TEST_F(FakeCuda, MemoryOfAPoolIsThereInTheOrderOfItsStream) {
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 40, stream), cudaSuccess);
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 40, other), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("before its allocation"));
}

TEST_F(FakeCuda, FreeingTwiceIsComplainedOf) {
  float* const memory = device_memory(10);
  ASSERT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
  EXPECT_EQ(cudaFreeAsync(memory, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
}

TEST_F(FakeCuda, MemoryEndsWhereTheDeviceHasNoMore) {
  control.set_devices(1, 1 << 20);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, (1 << 20) + 1), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaGetLastError(), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&memory, 1 << 20), cudaSuccess);
  std::size_t unused = 1;
  std::size_t all = 0;
  ASSERT_EQ(cudaMemGetInfo(&unused, &all), cudaSuccess);
  EXPECT_EQ(unused, 0U);
  EXPECT_EQ(all, 1U << 20);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 1 << 20), cudaSuccess);
}

TEST_F(FakeCuda, MemoryOfPoolsEndsThereToo) {
  control.set_devices(1, 1 << 20);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  void* memory = nullptr;
  ASSERT_EQ(cudaMallocAsync(&memory, 1 << 19, stream), cudaSuccess);
  EXPECT_EQ(cudaMallocAsync(&memory, (1 << 19) + 1, stream), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMallocAsync(&memory, 1 << 19, stream), cudaSuccess);
}

TEST_F(FakeCuda, PoolsKeepWhatTheyMay) {
  cudaMemPool_t pool = nullptr;
  ASSERT_EQ(cudaDeviceGetDefaultMemPool(&pool, 0), cudaSuccess);
  void* memory = nullptr;
  const auto reserved_after_use = [&] {
    EXPECT_EQ(cudaMallocAsync(&memory, 4096, stream), cudaSuccess);
    EXPECT_EQ(cudaFreeAsync(memory, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    std::uint64_t reserved = 1;
    EXPECT_EQ(cudaMemPoolGetAttribute(pool, cudaMemPoolAttrReservedMemCurrent, &reserved), cudaSuccess);
    return reserved;
  };
  EXPECT_EQ(reserved_after_use(), 0U);
  std::uint64_t threshold = 1 << 20;
  ASSERT_EQ(cudaMemPoolSetAttribute(pool, cudaMemPoolAttrReleaseThreshold, &threshold), cudaSuccess);
  EXPECT_EQ(reserved_after_use(), 4096U);
  std::size_t unused = 0;
  std::size_t all = 0;
  ASSERT_EQ(cudaMemGetInfo(&unused, &all), cudaSuccess);
  EXPECT_EQ(all - unused, 4096U);
}

TEST_F(FakeCuda, PageableMemoryIsReadAtTheCall) {
  std::vector<float> host(10, 1.0F);
  float* const memory = device_memory(10);
  ASSERT_EQ(cudaMemcpyAsync(memory, host.data(), 40, cudaMemcpyHostToDevice, stream), cudaSuccess);
  host.assign(10, 2.0F);
  EXPECT_EQ(read(memory, 10), std::vector<float>(10, 1.0F));
}

TEST_F(FakeCuda, CopiesToPageableMemoryWait) {
  float* const memory = device_memory(10);
  write(memory, std::vector<float>(10, 1.0F));
  const auto before = control.counters().synchronizations;
  std::vector<float> host(10);
  ASSERT_EQ(cudaMemcpyAsync(host.data(), memory, 40, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_EQ(host, std::vector<float>(10, 1.0F));
  EXPECT_EQ(control.counters().synchronizations, before + 1);
}

TEST_F(FakeCuda, PinnedMemoryThatIsRefilledTooEarlyIsComplainedOf) {
  float* const host = pinned_memory(10);
  float* const memory = device_memory(10);
  std::fill_n(host, 10, 1.0F);
  ASSERT_EQ(cudaMemcpyAsync(memory, host, 40, cudaMemcpyHostToDevice, stream), cudaSuccess);
  host[3] = 2;
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("the host changed pinned memory"));
}

TEST_F(FakeCuda, ResultsThatAreReadTooEarlyAreNoNumbers) {
  float* const host = pinned_memory(10);
  float* const memory = device_memory(10);
  write(memory, std::vector<float>(10, 1.0F));
  host[0] = 1;
  ASSERT_EQ(cudaMemcpyAsync(host, memory, 40, cudaMemcpyDeviceToHost, stream), cudaSuccess);
  EXPECT_TRUE(std::isnan(host[0]));
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(host[0], 1);
}

TEST_F(FakeCuda, CopiesAgainstTheirDirectionAreRefused) {
  float* const host = pinned_memory(10);
  float* const memory = device_memory(10);
  EXPECT_EQ(cudaMemcpyAsync(host, memory, 40, cudaMemcpyHostToDevice, stream), cudaErrorInvalidValue);
  EXPECT_EQ(cudaMemcpyAsync(memory, host, 44, cudaMemcpyHostToDevice, stream), cudaErrorInvalidValue);
  EXPECT_THAT(cudaGetErrorString(cudaErrorInvalidValue), HasSubstr("4 bytes past the end of its allocation of 40"));
  EXPECT_EQ(control.complaints(), 0);
}

TEST_F(FakeCuda, WhatIsThereIsCounted) {
  float* const memory = device_memory(10);
  static_cast<void>(pinned_memory(3));
  EXPECT_EQ(control.counters().live_allocations, 1);
  EXPECT_EQ(control.counters().live_bytes, 512);
  EXPECT_EQ(control.counters().live_host_allocations, 1);
  EXPECT_EQ(control.counters().live_streams, 2);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  EXPECT_EQ(control.counters().live_allocations, 0);
  EXPECT_EQ(control.counters().allocations, 1);
  EXPECT_EQ(control.counters().frees, 1);
}

}  // namespace
}  // namespace regatta::cuda_fakes
