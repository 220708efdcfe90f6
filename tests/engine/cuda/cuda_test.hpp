// Tests of the CUDA backend on the emulated device: a fresh machine for each, and nothing left behind.
#pragma once

#include <cuda_runtime_api.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/cuda/cuda.hpp"
#include "engine/cuda/device/check.hpp"
#include "engine/kernel_comparison.hpp"
#include "support/cuda/control.hpp"

namespace regatta::engine::cuda {

using cuda_fakes::Counters;
using cuda_fakes::Orders;
using cuda_fakes::StreamOrder;
using cuda_fakes::ThreadOrder;

/// The orders in which a session's work is done, each with other times at which streams get on.
inline const std::vector<Orders> kAllOrders{{StreamOrder::early, ThreadOrder::forward, 1},
                                            {StreamOrder::late, ThreadOrder::reverse, 2},
                                            {StreamOrder::random, ThreadOrder::random, 3},
                                            {StreamOrder::random, ThreadOrder::forward, 4},
                                            {StreamOrder::random, ThreadOrder::random, 5}};

class CudaTest : public testing::Test {
 protected:
  void SetUp() override { control.reset(); }

  void TearDown() override {
    if (expects_complaints) return fresh_machine();
    EXPECT_EQ(control.complaints(), 0) << control.complaint(0);
    expect_nothing_left();
    fresh_machine();
  }

  void fresh_machine() {
    control.reset();
    static_cast<void>(cudaGetLastError());
  }

  void expect_nothing_left() const {
    const Counters counters = control.counters();
    EXPECT_EQ(counters.live_allocations, 0);
    EXPECT_EQ(counters.live_host_allocations, 0);
    EXPECT_EQ(counters.live_streams, 0);
    EXPECT_EQ(counters.live_events, 0);
    EXPECT_EQ(counters.live_graphs, 0);
    EXPECT_EQ(counters.live_executables, 0);
    EXPECT_EQ(counters.live_handles, 0);
    EXPECT_EQ(counters.live_pools, 0);
  }

  static std::vector<float> read(Backend& backend, const void* memory, std::int64_t count) {
    const auto* const values = static_cast<const float*>(backend.host_view(memory, floats(count)));
    return {values, values + count};
  }

  const cuda_fakes::Control& control = *regatta_cuda_emulator();
  bool expects_complaints = false;
};

/// The text of the error that `work` throws; empty: none.
template <class Error, class Work>
std::string text_thrown(const Work& work) {
  try {
    work();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

/// One operation on operands of the host, with guards: they go to the device and come back.
inline void run_on(Backend& backend, const OpSpec& spec, Memories& memories) {
  std::array<void*, kOperands> pointers{};
  for (std::size_t i = 0; i < kOperands; ++i) {
    const std::int64_t bytes = i == kScratch ? backend.scratch_bytes(spec) : floats(std::ssize(memories[i]));
    if (bytes == 0) continue;
    pointers[i] = backend.allocate(bytes);
    if (i != kScratch) backend.write(pointers[i], memories[i].data(), bytes);
  }
  const BoundCalls bound = backend.bind(spec, pointers);
  for (int i = 0; i < bound.count; ++i) backend.run(bound.calls[static_cast<std::size_t>(i)]);
  for (std::size_t i = 0; i < kScratch; ++i) {
    if (memories[i].empty()) continue;
    const auto* const values =
        static_cast<const float*>(backend.host_view(pointers[i], floats(std::ssize(memories[i]))));
    memories[i].assign(values, values + memories[i].size());
  }
  for (void* const pointer : pointers) backend.release(pointer);
}

}  // namespace regatta::engine::cuda
