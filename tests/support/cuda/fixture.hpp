// A fresh emulated machine for each test of the fakes, and what most of them do.
#pragma once

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "support/cuda/control.hpp"
#include "support/cuda/runtime/enqueue.hpp"

namespace regatta::cuda_fakes {

class FakeCuda : public ::testing::Test {
 protected:
  void SetUp() override {
    control.reset();
    ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    ASSERT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
  }
  void TearDown() override {
    control.reset();
    cudaGetLastError();
  }

  /// Afterwards work runs in this order.
  void order(StreamOrder streams, std::uint64_t seed = 1) { control.set_orders({streams, ThreadOrder::forward, seed}); }

  static float* device_memory(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, count * sizeof(float)), cudaSuccess);
    return static_cast<float*>(memory);
  }

  static float* pinned_memory(std::size_t count) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMallocHost(&memory, count * sizeof(float)), cudaSuccess);
    return static_cast<float*>(memory);
  }

  /// Waits for everything, and reads.
  std::vector<float> read(const float* memory, std::size_t count) {
    cudaDeviceSynchronize();
    std::vector<float> values(count);
    EXPECT_EQ(cudaMemcpy(values.data(), memory, count * sizeof(float), cudaMemcpyDeviceToHost), cudaSuccess);
    return values;
  }

  void write(float* memory, const std::vector<float>& values) {
    ASSERT_EQ(cudaMemcpyAsync(memory, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice, stream),
              cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  }

  /// A "kernel": to[i] = from[i] + 1.
  static cudaError_t add_one(cudaStream_t into, float* to, const float* from, std::size_t count) {
    return enqueue(into, "add_one", [=] {
      for (std::size_t i = 0; i < count; ++i) to[i] = from[i] + 1;
    });
  }

  [[nodiscard]] std::string complaint() const { return control.complaint(0); }

  const Control& control = *regatta_cuda_emulator();
  cudaStream_t stream = nullptr, other = nullptr;
};

}  // namespace regatta::cuda_fakes
