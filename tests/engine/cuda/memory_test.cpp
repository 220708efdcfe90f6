// The backend's memory: src/engine/cuda/memory.cpp, through the backend.
#include "engine/cuda/memory.hpp"

#include <new>

#include "engine/cuda/cuda_test.hpp"

namespace regatta::engine::cuda {
namespace {

constexpr std::int64_t kMiB = std::int64_t{1} << 20;

class BackendMemory : public CudaTest {};

TEST_F(BackendMemory, IsAlignedAndEndsWithTheBackend) {
  for (const DeviceMemory kind : {DeviceMemory::grow, DeviceMemory::preallocate}) {
    const auto backend = make_backend({.memory = kind, .memory_bytes = 100 * kMiB});
    for (const std::int64_t bytes : {0, 1, 255, 256, 257, 5000}) {
      void* const memory = backend->allocate(bytes);
      EXPECT_EQ(reinterpret_cast<std::uintptr_t>(memory) % 256, 0U);
      if (bytes % 2 == 0) backend->release(memory);
    }
    backend->release(nullptr);
  }
}

TEST_F(BackendMemory, NoMoreThanTheLimitIsTakenAndWhatComesBackIsTakenAgain) {
  for (const DeviceMemory kind : {DeviceMemory::grow, DeviceMemory::preallocate}) {
    const auto backend = make_backend({.memory = kind, .memory_bytes = 100 * kMiB});
    void* const half = backend->allocate(50 * kMiB);
    EXPECT_THROW(backend->allocate(50 * kMiB), std::bad_alloc);
    backend->release(half);
    void* const again = backend->allocate(90 * kMiB);
    EXPECT_THROW(backend->allocate(10 * kMiB), std::bad_alloc);
    backend->release(again);
  }
}

TEST_F(BackendMemory, ABlockIsHeldFromTheStartAndAPoolAsItGrows) {
  {
    const auto block = make_backend({.memory = DeviceMemory::preallocate, .memory_bytes = 200 * kMiB});
    EXPECT_EQ(block->held_bytes(), 200 * kMiB);
    EXPECT_GE(control.counters().live_bytes, 200 * kMiB);
  }
  const auto pool = make_backend({});
  const std::int64_t before = pool->held_bytes();
  EXPECT_GE(before, 4 * kMiB) << "the workspace: a 256th of the device's memory";
  void* const memory = pool->allocate(50 * kMiB);
  EXPECT_GE(pool->held_bytes(), before + 50 * kMiB);
  pool->release(memory);
  pool->synchronize(pool->event());
  EXPECT_GE(pool->held_bytes(), before + 50 * kMiB) << "what was used once is there for the next step";
}

TEST_F(BackendMemory, ABlockWithoutALimitIsMostOfWhatIsFree) {
  control.set_devices(1, 400 * kMiB);
  const auto block = make_backend({.memory = DeviceMemory::preallocate});
  EXPECT_GT(block->held_bytes(), 250 * kMiB);
  EXPECT_LT(block->held_bytes(), 350 * kMiB);
}

TEST_F(BackendMemory, TooLittleForTheBackendItselfIsNoMemory) {
  EXPECT_THROW(make_backend({.memory_bytes = kMiB}), std::bad_alloc);
  EXPECT_THROW(make_backend({.memory = DeviceMemory::preallocate, .memory_bytes = kMiB}), std::bad_alloc);
  control.set_devices(1, 64 * kMiB);
  EXPECT_THROW(make_backend({.memory = DeviceMemory::preallocate, .memory_bytes = 100 * kMiB}), std::bad_alloc);
  const auto backend = make_backend({});
  EXPECT_THROW(backend->allocate(100 * kMiB), std::bad_alloc);
  EXPECT_NO_THROW(backend->release(backend->allocate(kMiB))) << "it goes on after a refusal";
}

TEST_F(BackendMemory, IsFreeForTheNextBackend) {
  control.set_devices(1, 100 * kMiB);
  for (int i = 0; i < 4; ++i) {
    const auto backend = make_backend({});
    backend->allocate(60 * kMiB);
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
