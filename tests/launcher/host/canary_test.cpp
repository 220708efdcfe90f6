#include <gtest/gtest.h>
#include <sched.h>

#include "host/host.hpp"

namespace regatta::launcher {
namespace {

int allowed_cpu(const cpu_set_t& set) {
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  return cpu;
}

TEST(Canary, TakesTimeAndLeavesTheThreadWhereItMayRun) {
  cpu_set_t before;
  ASSERT_EQ(::sched_getaffinity(0, sizeof before, &before), 0);
  const auto seconds = canary_seconds(allowed_cpu(before));
  ASSERT_TRUE(seconds);
  EXPECT_GT(*seconds, 1e-6);
  cpu_set_t after;
  ASSERT_EQ(::sched_getaffinity(0, sizeof after, &after), 0);
  EXPECT_TRUE(CPU_EQUAL(&before, &after));
}

TEST(Canary, IsAbsentOnACoreThatIsNotThere) { EXPECT_FALSE(canary_seconds(CPU_SETSIZE - 1)); }

TEST(Usual, IsTheMedianOfWhatCameBefore) {
  Usual usual;
  for (double value : {5.0, 1.0, 4.0, 2.0}) EXPECT_FALSE(usual.update(value));
  EXPECT_FALSE(usual.update(3));
  EXPECT_EQ(usual.update(100), 3);
}

TEST(Usual, ForgetsWhatIsLongPast) {
  Usual usual;
  for (int i = 0; i < 100; ++i) usual.update(1);
  EXPECT_EQ(usual.update(2), 1);
  for (int i = 0; i < 40; ++i) usual.update(2);
  EXPECT_EQ(usual.update(2), 2);
}

}  // namespace
}  // namespace regatta::launcher
