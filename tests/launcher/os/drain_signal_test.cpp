#include "os/drain_signal.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

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

TEST(DrainSignal, EndsNoProcessThatHoldsIt) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto holds = [] {
    hold_drain_signal();
    std::raise(SIGUSR1);
    ::_exit(0);
  };
  EXPECT_EXIT(holds(), ::testing::ExitedWithCode(0), "");
}

/// A call into MPI that waits for a dead rank, longer than anybody should.
[[noreturn]] void hang() {
  for (int waits = 0; waits < 2000; ++waits) ::usleep(10'000);
  ::_exit(1);
}

TEST(DrainSignal, LeavesACallThatDoesNotReturn) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto asked_before = [] {
    watch_for_drain();
    std::raise(SIGTERM);
    const LeaveAtDrain here;
    hang();
  };
  EXPECT_EXIT(asked_before(), ::testing::ExitedWithCode(75), "a rank that does not answer");
  const auto asked_then = [] {
    watch_for_drain();
    const LeaveAtDrain here;
    std::raise(SIGTERM);
    hang();
  };
  EXPECT_EXIT(asked_then(), ::testing::ExitedWithCode(75), "run the same command again");
}

TEST(DrainSignal, ACallThatReturnsIsForgotten) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const auto returns = [] {
    watch_for_drain();
    std::raise(SIGTERM);
    { const LeaveAtDrain here; }
    ::_exit(static_cast<int>(::alarm(0)));  // seconds left of an alarm
  };
  EXPECT_EXIT(returns(), ::testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace regatta::launcher
