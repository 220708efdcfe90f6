#include "os/process_tree.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

namespace regatta::launcher {
namespace {

TEST(HasLivingChild, CountsNoChildThatOnlyWaitsToBeReaped) {
  EXPECT_FALSE(has_living_child(::getpid()));
  const pid_t child = ::fork();
  if (child == 0) {
    ::pause();
    ::_exit(0);
  }
  EXPECT_TRUE(has_living_child(::getpid()));
  ::kill(child, SIGKILL);
  siginfo_t end{};
  ASSERT_EQ(::waitid(P_PID, static_cast<id_t>(child), &end, WEXITED | WNOWAIT), 0);
  EXPECT_FALSE(has_living_child(::getpid()));
  EXPECT_TRUE(has_child(::getpid()));
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(has_child(::getpid()));
}

TEST(EndOwnChildren, LeavesNoneOfThem) {
  const pid_t child = ::fork();
  if (child == 0) {
    if (::fork() == 0) ::setsid();
    ::alarm(60);  // where nobody ends it
    for (;;) ::pause();
  }
  while (children_of(child).empty()) ::usleep(1000);
  const pid_t grandchild = children_of(child).front();
  end_own_children(Deadline::after(10));
  EXPECT_TRUE(own_children().empty());
  EXPECT_NE(::kill(child, 0), 0);
  const Deadline reaped = Deadline::after(10);  // by whoever adopted it
  while (::kill(grandchild, 0) == 0 && !reaped.passed()) ::usleep(1000);
  EXPECT_NE(::kill(grandchild, 0), 0);
}

}  // namespace
}  // namespace regatta::launcher
