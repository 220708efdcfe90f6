#include <gmock/gmock.h>

#include <numeric>

#include "support/cuda/emulator/support.hpp"

namespace regatta::emulator {
namespace {

using engine::cuda::device::add_acquire_release;
using engine::cuda::device::load_acquire;
using testing::HasSubstr;

TEST(Blocks, RunEachThreadOnceAndTellItWhoItIs) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    std::vector<int> seen(3 * 2 * 4 * 30);
    const auto kernel = [&] {
      EXPECT_EQ(gridDim.x * 100 + gridDim.y * 10 + gridDim.z, 324U);
      EXPECT_EQ(blockDim.x * 100 + blockDim.y * 10 + blockDim.z, 532U);
      const unsigned block = (blockIdx.z * 2 + blockIdx.y) * 3 + blockIdx.x;
      const unsigned thread = (threadIdx.z * 3 + threadIdx.y) * 5 + threadIdx.x;
      ++seen[block * 30 + thread];
    };
    EXPECT_EQ(complaint({3, 2, 4}, {5, 3, 2}, kernel, order), "");
    for (const int times : seen) EXPECT_EQ(times, 1);
  }
}

std::vector<unsigned> order_of_threads(const Options& options, unsigned blocks) {
  std::vector<unsigned> order(blocks * 64);
  unsigned taken = 0;
  const auto kernel = [&] { order[atomicAdd(&taken, 1U)] = blockIdx.x * 64 + threadIdx.x; };
  EXPECT_EQ(complaint(blocks, 64, kernel, options), "");
  return order;
}

TEST(Blocks, TakeTheOrderThatWasAskedFor) {
  std::vector<unsigned> rising(64);
  std::iota(rising.begin(), rising.end(), 0U);
  const std::vector<unsigned> falling(rising.rbegin(), rising.rend());
  EXPECT_EQ(order_of_threads({Order::forward}, 1), rising);
  EXPECT_EQ(order_of_threads({Order::reverse}, 1), falling);
  EXPECT_EQ(order_of_threads({Order::forward}, 9).front(), 0U);
  EXPECT_EQ(order_of_threads({Order::reverse}, 9).front() / 64, 7U);  // the last two live at first
  const auto random = order_of_threads({Order::random, 4}, 9);
  EXPECT_NE(random, order_of_threads({Order::forward}, 9));
  EXPECT_NE(random, order_of_threads({Order::random, 5}, 9));
}

TEST(Blocks, LetTheLastOneFinish) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    std::vector<double> parts(7, 0);
    unsigned arrived = 0;
    double sum = -1;
    const auto kernel = [&] {
      REGATTA_SHARED(bool, is_last, );
      if (threadIdx.x == 0) {
        parts[blockIdx.x] = blockIdx.x + 1;
        is_last = add_acquire_release(&arrived, 1U) == gridDim.x - 1;
      }
      __syncthreads();
      if (!is_last || threadIdx.x != 0) return;
      sum = 0;
      for (const double part : parts) sum += part;
    };
    EXPECT_EQ(complaint(7, 64, kernel, order), "");
    EXPECT_EQ(sum, 28);
  }
}

TEST(Blocks, MayWaitForOneAnotherOnlyWhileBothLive) {
  unsigned arrived = 0;
  const auto wait_for_all = [&] {
    if (threadIdx.x == 0) {
      add_acquire_release(&arrived, 1U);
      while (load_acquire(&arrived) < gridDim.x) {
      }
    }
    __syncthreads();
  };
  Options options;
  options.resident_blocks = 4;
  for (const Order order : {Order::forward, Order::reverse}) {
    options.order = order;
    arrived = 0;
    EXPECT_EQ(complaint(4, 32, wait_for_all, options), "");
    arrived = 0;
    EXPECT_THAT(complaint(5, 32, wait_for_all, options), HasSubstr("a thread "));
  }
  arrived = 0;
  EXPECT_THAT(complaint(5, 1, wait_for_all, options),
              HasSubstr("spins without end: what it waits for is not resident, or never comes at blocks_test.cpp:"));
}

TEST(Launches, AreRefusedInShapesThatNoDeviceTakes) {
  const auto answer = [](dim3 grid, dim3 block, std::size_t dynamic_shared_bytes = 0) {
    return refusal({"kernel", grid, block, dynamic_shared_bytes});
  };
  EXPECT_EQ(answer(1, 1024), cudaSuccess);
  EXPECT_EQ(answer(1, 1025), cudaErrorInvalidConfiguration);
  EXPECT_EQ(answer(1, {1, 1, 65}), cudaErrorInvalidConfiguration);
  EXPECT_EQ(answer({1, 65536}, 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(answer({1, 1, 65536}, 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(answer(0x80000000U, 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(answer(0, 32), cudaErrorInvalidConfiguration);
  EXPECT_EQ(answer(1, 0), cudaErrorInvalidConfiguration);
  EXPECT_EQ(answer(1, 32, 49153), cudaErrorInvalidValue);
  EXPECT_THAT(complaint(1, 1025, [] {}), HasSubstr("kernel: no device takes a launch of this shape"));
}

TEST(Launches, AreCounted) {
  const Counts before = counts();
  EXPECT_EQ(complaint(3, 64, [] { __syncthreads(); }), "");
  EXPECT_EQ(counts().launches - before.launches, 1U);
  EXPECT_EQ(counts().threads - before.threads, 192U);
  EXPECT_EQ(counts().barriers - before.barriers, 192U);
}

}  // namespace
}  // namespace regatta::emulator
