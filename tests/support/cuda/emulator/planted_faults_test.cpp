// Faults that people make in kernels, planted one at a time: which orders of threads tell them without any sanitizer.

#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "support/cuda/emulator/sanitizers.hpp"
#include "support/cuda/emulator/support.hpp"

namespace regatta::emulator {
namespace {

using engine::cuda::device::add_acquire_release;
using engine::cuda::device::load_acquire;

enum class Fault {
  none,
  row_too_long,
  no_barrier,
  barrier_in_branch,
  mask_of_half_a_warp,
  shared_array_too_short,
  reads_unwritten_shared,
  no_guard_of_last_block,
  chunk_past_its_tensor,
  no_barrier_of_grid_between_layers,
  no_barrier_of_grid_between_steps,
  grid_barrier_without_its_second_half,
  grid_barrier_that_orders_nothing,
  first_block_is_overwritten,
  first_block_is_overwritten_behind_a_barrier,
};

/// Sums of the rows of x(rows, columns), a block for each row, of at most 8 warps.
template <Fault fault>
void row_sums(const float* x, float* sums, int columns) {
  REGATTA_SHARED(float, of_warps, [8]);
  const int me = static_cast<int>(threadIdx.x), lane = me % 32, warp = me / 32;
  const float* const row = x + static_cast<std::int64_t>(blockIdx.x) * columns;
  float sum = 0;
  const int end = fault == Fault::row_too_long ? columns + 1 : columns;
  for (int i = me; i < end; i += static_cast<int>(blockDim.x)) sum += row[i];
  const unsigned mask = fault == Fault::mask_of_half_a_warp ? 0xffffU : 0xffffffffU;
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(mask, sum, lanes);
  if (lane == 0) of_warps[fault == Fault::shared_array_too_short ? warp + 1 : warp] = sum;
  if (fault == Fault::barrier_in_branch) {
    if (warp < 4) __syncthreads();
  } else if (fault != Fault::no_barrier) {
    __syncthreads();
  }
  if (warp != 0) return;
  const int warps = fault == Fault::reads_unwritten_shared ? 8 : static_cast<int>(blockDim.x) / 32;
  sum = lane < warps ? of_warps[lane] : 0;
  for (unsigned lanes = 16; lanes > 0; lanes /= 2) sum += __shfl_down_sync(mask, sum, lanes);
  if (lane == 0) sums[blockIdx.x] = sum;
}

/// x *= 2, in chunks of 64, a block for each.
template <Fault fault>
void doubled(float* x, int count) {
  const int begin = static_cast<int>(blockIdx.x) * 64;
  const int end = fault == Fault::chunk_past_its_tensor ? begin + 64 : min(begin + 64, count);
  for (int i = begin + static_cast<int>(threadIdx.x); i < end; i += 32) x[i] *= 2;
}

/// x *= 2, an element for each thread.
template <Fault fault>
void doubled_at_once(float* x, int count) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (fault != Fault::no_guard_of_last_block && i >= count) return;
  x[i] *= 2;
}

template <Fault fault>
void wait_for_grid(unsigned* arrived, unsigned goal) {
  __syncthreads();
  if (threadIdx.x == 0) {
    if (fault == Fault::grid_barrier_that_orders_nothing) {
      atomicAdd(arrived, 1U);
      while (atomicAdd(arrived, 0U) < goal) let_others_run({__FILE__, __LINE__});
    } else {
      add_acquire_release(arrived, 1U);
      while (load_acquire(arrived) < goal) {
      }
    }
  }
  if (fault != Fault::grid_barrier_without_its_second_half) __syncthreads();
}

/// Three times y = reversed x, then x = y + 1; one thread for each element, all blocks resident.
template <Fault fault>
void two_phases(int* x, int* y, int count, unsigned* arrived) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  unsigned goal = 0;
  for (int step = 0; step < 3; ++step) {
    y[i] = x[count - 1 - i];
    if (fault != Fault::no_barrier_of_grid_between_layers) wait_for_grid<fault>(arrived, goal += gridDim.x);
    x[i] = y[i] + y[count - 1 - i];
    if (fault != Fault::no_barrier_of_grid_between_steps) wait_for_grid<fault>(arrived, goal += gridDim.x);
  }
}

constexpr float kGuard = std::numeric_limits<float>::quiet_NaN();

bool rows_are_right(const std::vector<float>& sums, const std::vector<float>& x, int columns) {
  for (std::size_t row = 0; row < sums.size(); ++row) {
    const float* const begin = x.data() + row * static_cast<std::size_t>(columns);
    float sum = 0;
    for (int i = 0; i < columns; ++i) sum += begin[i];
    if (sums[row] != sum) return false;  // small whole numbers: every order gives the same sum
  }
  return true;
}

template <Fault fault>
bool finds_in_rows(const Options& options) {
  for (const int columns : {1, 31, 100, 300}) {
    for (const unsigned threads : {256U, 64U}) {
      std::vector<float> x(static_cast<std::size_t>(3 * columns + 1));
      for (std::size_t i = 0; i + 1 < x.size(); ++i) x[i] = static_cast<float>(i % 7);
      x.back() = kGuard;
      std::vector<float> sums(3, -1);
      const auto kernel = [&] { row_sums<fault>(x.data(), sums.data(), columns); };
      if (!complaint(3, threads, kernel, options).empty() || !rows_are_right(sums, x, columns)) return true;
    }
  }
  return false;
}

template <Fault fault>
bool finds_in_elements(const Options& options) {
  constexpr int kCount = 150;
  std::vector<float> x(256, 7);  // elements behind the first 150 belong to others
  const auto kernel = [&] {
    if (fault == Fault::chunk_past_its_tensor) {
      doubled<fault>(x.data(), kCount);
    } else {
      doubled_at_once<fault>(x.data(), kCount);
    }
  };
  const std::string found = complaint(fault == Fault::chunk_past_its_tensor ? 3 : 5, 32, kernel, options);
  const bool all_doubled = std::all_of(x.begin(), x.begin() + kCount, [](float value) { return value == 14; });
  const bool rest_is_left = std::all_of(x.begin() + kCount, x.end(), [](float value) { return value == 7; });
  return !found.empty() || !all_doubled || !rest_is_left;
}

template <Fault fault>
bool finds_in_phases(Options options) {
  constexpr int kBlocks = 4;
  constexpr int kCount = kBlocks * 64;
  options.resident_blocks = kBlocks;
  if (options.order == Order::random) options.seed += 1000;
  std::vector<int> x(kCount), y(kCount, -1), want(kCount);
  for (int i = 0; i < kCount; ++i) x[static_cast<std::size_t>(i)] = want[static_cast<std::size_t>(i)] = i;
  for (int step = 0; step < 3; ++step) {
    std::vector<int> next(kCount);
    for (std::size_t i = 0; i < kCount; ++i) next[i] = want[i] + want[kCount - 1 - i];
    want = next;
  }
  unsigned arrived = 0;
  const auto kernel = [&] { two_phases<fault>(x.data(), y.data(), kCount, &arrived); };
  return !complaint(kBlocks, 64, kernel, options).empty() || x != want;
}

/// With a fault the last block writes what the first one writes.
template <Fault fault>
bool finds_in_many_blocks(const Options& options) {
  constexpr int kBlocks = fault == Fault::none ? 80 : 12;  // 20480 threads or 3072
  std::vector<int> x(kBlocks * 256);
  const auto kernel = [&] {
    x[blockIdx.x * 256 + threadIdx.x] = 1;
    if (fault == Fault::first_block_is_overwritten_behind_a_barrier) __syncthreads();
    if (fault != Fault::none && blockIdx.x == kBlocks - 1) x[255 - threadIdx.x] = 1;
  };
  return !complaint(kBlocks, 256, kernel, options).empty() || x != std::vector<int>(x.size(), 1);
}

/// In which of all orders a fault shows.
template <class Finds>
std::vector<std::string> orders_that_tell(const Finds& finds) {
  std::vector<std::string> orders;
  for (const Options& options : all_orders()) {
    if (finds(options)) orders.push_back(text_of(options));
  }
  return orders;
}

using testing::Contains;
using testing::IsEmpty;
using testing::SizeIs;

TEST(PlantedFaults, AreNotSeenWhereThereIsNone) {
  EXPECT_THAT(orders_that_tell(finds_in_rows<Fault::none>), IsEmpty());
  EXPECT_THAT(orders_that_tell(finds_in_elements<Fault::none>), IsEmpty());
  EXPECT_THAT(orders_that_tell(finds_in_phases<Fault::none>), IsEmpty());
  EXPECT_THAT(orders_that_tell(finds_in_many_blocks<Fault::none>), IsEmpty());
}

TEST(PlantedFaults, OfMemoryShowInEveryOrder) {
  EXPECT_THAT(orders_that_tell(finds_in_rows<Fault::row_too_long>), SizeIs(5));
  EXPECT_THAT(orders_that_tell(finds_in_rows<Fault::reads_unwritten_shared>), SizeIs(5));
  EXPECT_THAT(orders_that_tell(finds_in_elements<Fault::no_guard_of_last_block>), SizeIs(5));
  EXPECT_THAT(orders_that_tell(finds_in_elements<Fault::chunk_past_its_tensor>), SizeIs(5));
}

TEST(PlantedFaults, OfRendezvousShowInEveryOrder) {
  EXPECT_THAT(orders_that_tell(finds_in_rows<Fault::barrier_in_branch>), SizeIs(5));
  EXPECT_THAT(orders_that_tell(finds_in_rows<Fault::mask_of_half_a_warp>), SizeIs(5));
}

#ifdef REGATTA_EMULATOR_FOR_ASAN

TEST(PlantedFaultsDeathTest, OfSharedArraysEndTheProcess) {
  EXPECT_DEATH(finds_in_rows<Fault::shared_array_too_short>({}), "use-after-poison|out of bounds");
}

#else

TEST(PlantedFaults, OfSharedArraysShowInEveryOrder) {
  EXPECT_THAT(orders_that_tell(finds_in_rows<Fault::shared_array_too_short>), SizeIs(5));
}

#endif
#ifdef REGATTA_WATCHED_BY_TSAN

/// Runs in one order, in a process of its own, and ends it as if nothing had been found.
template <class Finds>
void run_once(const Finds& finds) {
  finds(Options{Order::random, 7});
  std::exit(0);
}

TEST(PlantedFaultsDeathTest, OfOrderAreRaces) {
  const auto found = testing::ExitedWithCode(66);
  EXPECT_EXIT(run_once(finds_in_phases<Fault::none>), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run_once(finds_in_rows<Fault::no_barrier>), found, "data race");
  EXPECT_EXIT(run_once(finds_in_phases<Fault::no_barrier_of_grid_between_layers>), found, "data race");
  EXPECT_EXIT(run_once(finds_in_phases<Fault::no_barrier_of_grid_between_steps>), found, "data race");
  EXPECT_EXIT(run_once(finds_in_phases<Fault::grid_barrier_without_its_second_half>), found, "data race");
  EXPECT_EXIT(run_once(finds_in_phases<Fault::grid_barrier_that_orders_nothing>), found, "data race");
}

/// The same on stacks that have served other launches.
template <class Finds>
void run_after_others(const Finds& finds) {
  finds_in_rows<Fault::none>({Order::reverse, 1});
  finds_in_many_blocks<Fault::none>({Order::forward, 1});
  run_once(finds);
}

TEST(PlantedFaultsDeathTest, OfOrderAreRacesOnStacksThatServedOthers) {
  const auto found = testing::ExitedWithCode(66);
  EXPECT_EXIT(run_after_others(finds_in_phases<Fault::none>), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run_after_others(finds_in_rows<Fault::no_barrier>), found, "data race");
  EXPECT_EXIT(run_after_others(finds_in_phases<Fault::grid_barrier_that_orders_nothing>), found, "data race");
}

TEST(PlantedFaultsDeathTest, OfOrderAreRacesBetweenBlocksThatNeverMeet) {
  const auto found = testing::ExitedWithCode(66);
  EXPECT_EXIT(run_once(finds_in_many_blocks<Fault::none>), testing::ExitedWithCode(0), "");
  EXPECT_EXIT(run_once(finds_in_many_blocks<Fault::first_block_is_overwritten>), found, "data race");
  EXPECT_EXIT(run_once(finds_in_many_blocks<Fault::first_block_is_overwritten_behind_a_barrier>), found, "data race");
}

#else

TEST(PlantedFaults, OfOrderShowInSomeOrders) {
  EXPECT_THAT(orders_that_tell(finds_in_rows<Fault::no_barrier>), Contains("forward"));
  EXPECT_THAT(orders_that_tell(finds_in_phases<Fault::no_barrier_of_grid_between_layers>), Contains("forward"));
  EXPECT_THAT(orders_that_tell(finds_in_phases<Fault::no_barrier_of_grid_between_steps>), Contains("forward"));
  EXPECT_THAT(orders_that_tell(finds_in_phases<Fault::grid_barrier_without_its_second_half>), Contains("in reverse"));
  // ThreadSanitizer alone sees this one.
  EXPECT_THAT(orders_that_tell(finds_in_phases<Fault::grid_barrier_that_orders_nothing>), IsEmpty());
}

#endif

}  // namespace
}  // namespace regatta::emulator
