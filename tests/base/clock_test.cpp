#include "regatta/base/clock.hpp"

#include <gtest/gtest.h>

#include <ctime>

namespace regatta {
namespace {

TEST(SteadyClock, NeverGoesBackAndAgreesWithTheKernels) {
  const std::int64_t before = steady_nanoseconds();
  timespec now{};
  ASSERT_EQ(::clock_gettime(CLOCK_MONOTONIC, &now), 0);
  const std::int64_t kernel = std::int64_t{now.tv_sec} * 1'000'000'000 + now.tv_nsec;
  const std::int64_t after = steady_nanoseconds();
  EXPECT_LE(before, kernel);
  EXPECT_LE(kernel, after);
}

TEST(WallClock, CountsSecondsSince1970) {
  const std::time_t before = std::time(nullptr);
  EXPECT_GE(wall_seconds(), static_cast<double>(before) - 1);
}

TEST(Deadline, PassesWhenItsTimeIsOver) {
  EXPECT_TRUE(Deadline::after(0).passed());
  EXPECT_TRUE(Deadline::after(-1).passed());
  const Deadline later = Deadline::after(1000);
  EXPECT_FALSE(later.passed());
  EXPECT_GT(later.left_seconds(), 0);
  EXPECT_LE(later.left_seconds(), 1000);
}

}  // namespace
}  // namespace regatta
