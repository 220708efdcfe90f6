#include <gmock/gmock.h>

#include "support/cuda/emulator/support.hpp"

namespace regatta::emulator {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::StartsWith;

constexpr unsigned kAll = 0xffffffffU;

template <class Exchange>
std::vector<int> lanes_after(const Options& order, int lanes, const Exchange& exchange) {
  std::vector<int> result(static_cast<std::size_t>(lanes), -1);
  const auto kernel = [&] { result[threadIdx.x] = exchange(static_cast<int>(threadIdx.x)); };
  EXPECT_EQ(complaint(1, static_cast<unsigned>(lanes), kernel, order), "");
  return result;
}

TEST(Shuffles, GiveTheValueOfTheOtherLane) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    const auto down = lanes_after(order, 32, [](int lane) { return __shfl_down_sync(kAll, lane * 10, 4); });
    const auto up = lanes_after(order, 32, [](int lane) { return __shfl_up_sync(kAll, lane * 10, 4); });
    const auto crossed = lanes_after(order, 32, [](int lane) { return __shfl_xor_sync(kAll, lane * 10, 5); });
    const auto one = lanes_after(order, 32, [](int lane) { return __shfl_sync(kAll, lane * 10, 7); });
    for (int lane = 0; lane < 32; ++lane) {
      const auto i = static_cast<std::size_t>(lane);
      EXPECT_EQ(down[i], lane < 28 ? (lane + 4) * 10 : lane * 10);
      EXPECT_EQ(up[i], lane >= 4 ? (lane - 4) * 10 : lane * 10);
      EXPECT_EQ(crossed[i], (lane ^ 5) * 10);
      EXPECT_EQ(one[i], 70);
    }
  }
}

TEST(Shuffles, StayInTheirPartOfTheWarp) {
  const auto down = lanes_after({}, 32, [](int lane) { return __shfl_down_sync(kAll, lane, 2, 8); });
  const auto one = lanes_after({}, 32, [](int lane) { return __shfl_sync(kAll, lane, 9, 8); });
  for (int lane = 0; lane < 32; ++lane) {
    EXPECT_EQ(down[static_cast<std::size_t>(lane)], lane % 8 < 6 ? lane + 2 : lane);
    EXPECT_EQ(one[static_cast<std::size_t>(lane)], lane / 8 * 8 + 1);
  }
}

TEST(Votes, TellWhichLanesSaidYes) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    for (const int ballot :
         lanes_after(order, 32, [](int lane) { return static_cast<int>(__ballot_sync(kAll, lane % 3 == 0)); })) {
      EXPECT_EQ(static_cast<unsigned>(ballot), 0x49249249U);
    }
    for (const int any : lanes_after(order, 32, [](int lane) { return __any_sync(kAll, lane == 31); }))
      EXPECT_TRUE(any);
    for (const int all : lanes_after(order, 32, [](int lane) { return __all_sync(kAll, lane < 31); }))
      EXPECT_FALSE(all);
  }
}

TEST(Votes, OfASmallerWarpNameItsLanes) {
  for (const int ballot : lanes_after({}, 20, [](int) { return static_cast<int>(__ballot_sync(0xfffffU, 1)); })) {
    EXPECT_EQ(ballot, 0xfffff);
  }
}

TEST(WarpOperations, OfHalvesDoNotWaitForEachOther) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    const auto values = lanes_after(order, 32, [](int lane) {
      if (lane < 16) return __shfl_sync(0xffffU, lane, 3);
      return __shfl_sync(0xffff0000U, lane, 20);
    });
    for (std::size_t lane = 0; lane < 32; ++lane) EXPECT_EQ(values[lane], lane < 16 ? 3 : 20);
  }
}

TEST(WarpOperations, OrderMemoryAtTheWarpBarrier) {
  for (const Options& order : all_orders()) {
    SCOPED_TRACE(text_of(order));
    const auto values = lanes_after(order, 32, [](int lane) {
      REGATTA_SHARED(int, row, [32]);
      int sum = 0;
      for (int round = 0; round < 3; ++round) {
        row[lane] = lane * (round + 1);
        __syncwarp();
        sum += row[(lane + 1) % 32];
        __syncwarp();
      }
      return sum;
    });
    for (int lane = 0; lane < 32; ++lane) EXPECT_EQ(values[static_cast<std::size_t>(lane)], (lane + 1) % 32 * 6);
  }
}

TEST(UndefinedWarpOperations, WithAMaskThatLacksTheCaller) {
  for (const Options& order : all_orders()) {
    const std::string found = complaint(
        1, 32, [] { __ballot_sync(0x0000ffffU, 1); }, order);
    EXPECT_THAT(found, AllOf(StartsWith("kernel: __ballot_sync whose mask lacks the calling lane at warps_test.cpp:"),
                             HasSubstr(", thread ("), HasSubstr(",0,0) of block (0,0,0)")));
  }
}

TEST(UndefinedWarpOperations, WithLanesThatTheBlockDoesNotHave) {
  EXPECT_THAT(complaint(1, 20, [] { __syncwarp(); }),
              HasSubstr("__syncwarp whose mask names lanes that the block does not have: 20,21,22,"));
}

TEST(UndefinedWarpOperations, WithLanesThatHaveReturned) {
  const auto kernel = [] {
    if (threadIdx.x < 3) return;
    __ballot_sync(kAll, 1);
  };
  for (const Options& order : all_orders()) {
    EXPECT_THAT(complaint(1, 32, kernel, order), HasSubstr("__ballot_sync whose mask names")) << text_of(order);
  }
}

TEST(UndefinedWarpOperations, WhereLanesAreAtDifferentOnes) {
  const auto kernel = [] {
    if (threadIdx.x % 2 == 0) {
      __shfl_sync(kAll, 1, 0);
    } else {
      __ballot_sync(kAll, 1);
    }
  };
  for (const Options& order : all_orders()) {
    EXPECT_THAT(complaint(1, 32, kernel, order), HasSubstr("where lanes of its mask wait in __")) << text_of(order);
  }
}

TEST(UndefinedWarpOperations, WhereMasksDiffer) {
  const auto kernel = [] { __ballot_sync(threadIdx.x < 4 ? 0xffU : kAll, 1); };
  for (const Options& order : all_orders()) {
    EXPECT_THAT(complaint(1, 32, kernel, order), HasSubstr("whose mask differs from that of lanes which wait there"))
        << text_of(order);
  }
}

TEST(UndefinedWarpOperations, ThatReadALaneOutsideTheMask) {
  const auto kernel = [] {
    if (threadIdx.x < 8) __shfl_sync(0xffU, 1, 9);
  };
  EXPECT_THAT(complaint(1, 32, kernel), HasSubstr("__shfl_sync that reads lane 9, which its mask lacks"));
}

TEST(UndefinedWarpOperations, WhereTheOthersWaitInTheBarrierOfTheBlock) {
  const auto kernel = [] {
    if (threadIdx.x < 16) __syncwarp();
    __syncthreads();
  };
  for (const Options& order : all_orders()) {
    EXPECT_THAT(complaint(1, 32, kernel, order), HasSubstr("a thread waits in")) << text_of(order);
  }
}

}  // namespace
}  // namespace regatta::emulator
