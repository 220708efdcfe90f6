#include <gtest/gtest.h>

#include "bench/bench.hpp"

namespace regatta::launcher {
namespace {

TEST(SchedulerLoad, DecidesOnEachBlockAndEachAgent) {
  const SchedulerLoad load = schedule_all(64, 4000);
  EXPECT_EQ(load.agents, 64U);
  EXPECT_EQ(load.trials, 4000U);
  EXPECT_GT(load.decisions, 4000 / 4 * 97 / 100 + 64);
  EXPECT_GT(load.seconds, 0);
  EXPECT_EQ(schedule_all(64, 4000).decisions, load.decisions) << "it is drawn from a seed";
}

}  // namespace
}  // namespace regatta::launcher
