#include "os/wait.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace regatta::launcher {
namespace {

const Chores no_chores = [] { return 1.0; };

TEST(WaitReadable, EndsAtItsDeadline) {
  Deadline deadline = Deadline::after(0.02);
  const double at = deadline.at_seconds;
  EXPECT_FALSE(wait_readable({}, deadline, no_chores));
  EXPECT_EQ(deadline.at_seconds, at);
}

/// Waits so long for what never comes, in a child that is stopped meanwhile; how far the deadline moved.
double moved_while_stopped(double wait_seconds, useconds_t stopped_microseconds) {
  int ends[2];
  EXPECT_EQ(::pipe(ends), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    Deadline deadline = Deadline::after(wait_seconds);
    const double at = deadline.at_seconds;
    while (wait_readable({}, deadline, no_chores)) {
    }
    const double moved = deadline.at_seconds - at;
    ::_exit(::write(ends[1], &moved, sizeof moved) == sizeof moved ? 0 : 1);
  }
  ::usleep(50'000);
  ::kill(child, SIGSTOP);
  ::usleep(stopped_microseconds);
  ::kill(child, SIGCONT);
  double moved = -1;
  EXPECT_EQ(::read(ends[0], &moved, sizeof moved), static_cast<ssize_t>(sizeof moved));
  ::waitpid(child, nullptr, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  return moved;
}

TEST(WaitReadable, DoesNotCountTheTimeInWhichItWasStopped) {
  const double moved = moved_while_stopped(0.3, 1'800'000);
  EXPECT_GT(moved, 1.0);
  EXPECT_LT(moved, 30);
}

}  // namespace
}  // namespace regatta::launcher
