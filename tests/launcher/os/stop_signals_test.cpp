#include "os/stop_signals.hpp"

#include <gtest/gtest.h>

#include <csignal>

#include "regatta/base/clock.hpp"

namespace regatta::launcher {
namespace {

TEST(StopSignals, EndASleepAndNotTheProcess) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    const StopSignals signals;
    EXPECT_NO_THROW(signals.sleep(0.001));
    ASSERT_EQ(::raise(signal), 0);
    const double start = steady_seconds();
    EXPECT_THROW(signals.sleep(60), Stopped);
    EXPECT_LT(steady_seconds() - start, 30);
  }
}

TEST(StopSignals, ThatCameAndWereNotAskedForEndNobodyLater) {
  {
    const StopSignals signals;
    ASSERT_EQ(::raise(SIGTERM), 0);
  }
  sigset_t pending;
  sigpending(&pending);
  EXPECT_EQ(sigismember(&pending, SIGTERM), 0);
}

}  // namespace
}  // namespace regatta::launcher
