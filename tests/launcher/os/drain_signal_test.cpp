#include "os/drain_signal.hpp"

#include <gtest/gtest.h>

#include <csignal>

namespace regatta::launcher {
namespace {

TEST(DrainSignal, IsSeenOnceItCame) {
  watch_for_drain();
  EXPECT_FALSE(drain_requested());
  std::raise(SIGUSR1);
  EXPECT_TRUE(drain_requested());
  watch_for_drain();
  EXPECT_TRUE(drain_requested()) << "asking again changes nothing";
  EXPECT_FALSE(termination_requested());
  std::raise(SIGTERM);
  EXPECT_TRUE(termination_requested());
}

}  // namespace
}  // namespace regatta::launcher
