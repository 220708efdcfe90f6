#include "os/process_tree.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <fstream>
#include <string>

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

/// A child that ends with 7 on this signal; it has its handler already.
pid_t child_that_catches(int signal) {
  const pid_t child = ::fork();
  if (child == 0) {
    std::signal(signal, [](int) { ::_exit(7); });
    ::alarm(60);  // where nobody ends it
    for (;;) ::pause();
  }
  for (int look = 0; look < 1000 && ::kill(child, 0) == 0; ++look) {
    std::ifstream status("/proc/" + std::to_string(child) + "/status");
    std::string word;
    std::uint64_t caught = 0;
    while (status >> word && word != "SigCgt:") {
    }
    if (status >> std::hex >> caught && (caught >> (signal - 1) & 1) != 0) break;
    ::usleep(1000);
  }
  return child;
}

TEST(AskForStacks, ReachesThoseThatCatchTheSignal) {
  for (const int signal : {SIGUSR2, SIGABRT}) {
    const pid_t child = child_that_catches(signal);
    ask_for_stacks(child);
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 7);
  }
}

TEST(AskForStacks, LeavesOthersAsTheyAre) {
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(60);
    for (;;) ::pause();
  }
  ask_for_stacks(child);
  int status = 0;
  EXPECT_EQ(::waitpid(child, &status, WNOHANG), 0);
  ::kill(child, SIGKILL);
  EXPECT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL);
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
