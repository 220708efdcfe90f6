#include "regatta/base/confined_child.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

namespace regatta {
namespace {

/// How a child ends that is confined, limited, and does this.
template <class Act>
int end_of(const ChildLimits& limits, const Act& act, double patience_seconds = 20) {
  const pid_t parent = ::getpid();
  const pid_t child = ::fork();
  if (child == 0) {
    confine(STDIN_FILENO, parent);
    limit_child(limits);
    ::_exit(act());
  }
  return end_of_child(child, patience_seconds);
}

constexpr ChildLimits roomy{std::uint64_t{1} << 30, 10, 0};

TEST(ConfinedChild, EndsAsItSays) {
  EXPECT_EQ(WEXITSTATUS(end_of(roomy, [] { return 7; })), 7);
  EXPECT_EQ(WTERMSIG(end_of(roomy, [] { return ::raise(SIGKILL); })), SIGKILL);
}

TEST(ConfinedChild, HasNothingOpenButItsLink) {
  EXPECT_EQ(WEXITSTATUS(end_of(roomy, [] { return ::fcntl(3, F_GETFD) == -1 ? 1 : 2; })), 1);
  EXPECT_EQ(WEXITSTATUS(end_of(roomy,
                               [] {
                                 open_no_more_files();
                                 return ::open("/dev/null", O_RDONLY) == -1 ? 1 : 2;
                               })),
            1);
}

TEST(ConfinedChild, GetsNoMoreMemoryAndTimeThanItMay) {
  const auto take = [] {
    constexpr std::size_t bytes = std::size_t{2} << 30;
    return ::mmap(nullptr, bytes, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) == MAP_FAILED ? 1 : 2;
  };
  EXPECT_EQ(WEXITSTATUS(end_of(roomy, take)), 1);
  const auto spin = [] {
    for (volatile bool is_on = true; is_on;) {
    }
    return 0;
  };
  EXPECT_TRUE(WIFSIGNALED(end_of({std::uint64_t{1} << 30, 0, 0}, spin)));
}

TEST(ConfinedChild, IsKilledWhenPatienceEnds) {
  EXPECT_EQ(end_of(
                roomy, [] { return static_cast<int>(::sleep(60)); }, 0.1),
            0);
}

}  // namespace
}  // namespace regatta
