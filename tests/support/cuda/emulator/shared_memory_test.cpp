#include <gmock/gmock.h>

#include <cmath>

#include "support/cuda/emulator/sanitizers.hpp"
#include "support/cuda/emulator/support.hpp"

namespace regatta::emulator {
namespace {

using testing::HasSubstr;

TEST(SharedMemory, IsNotANumberUntilWritten) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    int numbers = 0;
    const auto kernel = [&] {
      REGATTA_SHARED(float, values, [8]);
      if (threadIdx.x < 8 && !std::isnan(values[threadIdx.x])) atomicAdd(&numbers, 1);
      __syncthreads();
      if (threadIdx.x < 8) values[threadIdx.x] = 1;
    };
    EXPECT_EQ(complaint(4, 32, kernel, order), "");
    EXPECT_EQ(numbers, 0);  // nor does a block find what the one before it left
  }
}

TEST(SharedMemory, IsTheBlocksOwn) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    std::vector<int> out(6, -1);
    const auto kernel = [&] {
      REGATTA_SHARED(unsigned, first, );
      REGATTA_SHARED(unsigned, table, [4][3]);
      if (threadIdx.x == 0) first = blockIdx.x;
      if (threadIdx.x < 12) table[threadIdx.x / 3][threadIdx.x % 3] = threadIdx.x;
      __syncthreads();
      if (threadIdx.x == 31) out[blockIdx.x] = static_cast<int>(first * 100 + table[3][1]);
    };
    EXPECT_EQ(complaint(6, 32, kernel, order), "");
    for (int block = 0; block < 6; ++block) EXPECT_EQ(out[static_cast<std::size_t>(block)], block * 100 + 10);
  }
}

const auto write_one_too_far = [] {
  REGATTA_SHARED(float, sums, [8]);
  const volatile unsigned place = 8;  // no compiler sees it coming
  if (threadIdx.x == 0) sums[place] = 1;
};

#ifdef REGATTA_EMULATOR_FOR_ASAN
TEST(SharedMemoryDeathTest, EndsBehindEachArray) {
  EXPECT_DEATH(complaint(1, 32, write_one_too_far), "use-after-poison|out of bounds");
}
#else
TEST(SharedMemory, EndsBehindEachArray) {
  EXPECT_THAT(complaint(1, 32, write_one_too_far), HasSubstr("the block wrote beyond the shared array sums"));
}
#endif

TEST(SharedMemory, HasAtMost48KiB) {
  const auto kernel = [] {
    REGATTA_SHARED(float, half, [6 * 1024]);
    REGATTA_SHARED(float, more, [6 * 1024 + 1]);
    half[threadIdx.x] = more[threadIdx.x] = 0;
  };
  EXPECT_THAT(complaint(1, 32, kernel),
              HasSubstr("more than 48 KiB of static shared memory at shared_memory_test.cpp:"));
}

}  // namespace
}  // namespace regatta::emulator
