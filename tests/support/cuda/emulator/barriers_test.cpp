#include <gmock/gmock.h>

#include "support/cuda/emulator/support.hpp"

namespace regatta::emulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;

TEST(Barriers, LetAllThreadsSeeWhatCameBefore) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    std::vector<int> out(5 * 96);
    const auto kernel = [&] {
      REGATTA_SHARED(int, values, [96]);
      int* const mine = out.data() + blockIdx.x * 96;
      for (int round = 0; round < 3; ++round) {
        values[threadIdx.x] = static_cast<int>(threadIdx.x) + round;
        __syncthreads();
        mine[threadIdx.x] += values[95 - threadIdx.x];
        __syncthreads();
      }
    };
    EXPECT_EQ(complaint(5, 96, kernel, order), "");
    for (int i = 0; i < 5 * 96; ++i) EXPECT_EQ(out[static_cast<std::size_t>(i)], 3 * (95 - i % 96) + 3);
  }
}

TEST(UndefinedBarriers, ThatNotAllThreadsReach) {
  const auto kernel = [] {
    if (threadIdx.x < 40) __syncthreads();
  };
  for (const Options& order : all_orders()) {
    EXPECT_THAT(complaint(2, 64, kernel, order), AllOf(HasSubstr("__syncthreads"), HasSubstr("at barriers_test.cpp:"),
                                                       HasSubstr("return"), HasSubstr("of block (")))
        << text_of(order);
  }
}

TEST(UndefinedBarriers, WhereOthersWaitInAnother) {
  const auto kernel = [] {
    if (threadIdx.x < 40) {
      __syncthreads();
    } else {
      __syncthreads();
    }
  };
  for (const Options& order : all_orders()) {
    EXPECT_THAT(complaint(1, 64, kernel, order),
                HasSubstr("__syncthreads where others of the block wait in the one at barriers_test.cpp:"))
        << text_of(order);
  }
}

TEST(UndefinedBarriers, ThatWaitForAThreadWhichSpins) {
  int never = 0;
  const auto kernel = [&] {
    if (threadIdx.x == 3) {
      while (engine::cuda::device::load_acquire(&never) == 0) {
      }
    }
    __syncthreads();
  };
  EXPECT_THAT(complaint(1, 64, kernel), HasSubstr("a thread waits in __syncthreads at barriers_test.cpp:"));
}

TEST(Barriers, WorkAfterALaunchThatFailed) {
  EXPECT_NE(complaint(1, 64,
                      [] {
                        if (threadIdx.x == 1) __syncthreads();
                      }),
            "");
  EXPECT_EQ(complaint(1, 64, [] { __syncthreads(); }), "");
}

}  // namespace
}  // namespace regatta::emulator
