#include "os/still_watch.hpp"

#include <gtest/gtest.h>
#include <sys/ptrace.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <utility>

namespace regatta::launcher {
namespace {

constexpr double patience_seconds = 60;

enum class Life { asleep, wakes };

class Child {
 public:
  explicit Child(Life life) : pid_(::fork()) {
    if (pid_ != 0) return;
    ::alarm(60);  // where nobody ends it
    for (;;) {
      if (life == Life::asleep) ::pause();
      ::usleep(200);
    }
  }
  Child(const Child&) = delete;
  Child& operator=(const Child&) = delete;
  ~Child() { end(); }

  [[nodiscard]] pid_t pid() const { return pid_; }
  void stop() const {
    ::kill(pid_, SIGSTOP);
    int status = 0;
    ::waitpid(pid_, &status, WUNTRACED);
  }
  void end() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }

 private:
  pid_t pid_;
};

/// How many looks it takes to call the child still; 0 if it never is in three times its patience. Time is made up.
int looks_until_still(pid_t child) {
  StillWatch watch(child, patience_seconds, 0);
  const int most = static_cast<int>(3 * patience_seconds / watch.look_seconds());
  for (int look = 1; look <= most; ++look) {
    ::usleep(3000);  // a child that wakes runs meanwhile
    if (watch.is_still(look * watch.look_seconds())) return look;
  }
  return 0;
}

TEST(StillWatch, ASleeperThatWakesIsWell) { EXPECT_EQ(looks_until_still(Child(Life::wakes).pid()), 0); }

TEST(StillWatch, AStoppedOneIsStillOncePatienceIsOver) {
  const Child child(Life::wakes);
  child.stop();
  const int looks = looks_until_still(child.pid());
  const StillWatch watch(child.pid(), patience_seconds, 0);
  EXPECT_GE(looks * watch.look_seconds(), patience_seconds);
  EXPECT_LE(looks * watch.look_seconds(), patience_seconds + 2 * watch.look_seconds());
}

TEST(StillWatch, OneThatNeverWakesIsStill) { EXPECT_GT(looks_until_still(Child(Life::asleep).pid()), 0); }

TEST(StillWatch, OneThatIsGoneIsNobodysMatter) {
  Child child(Life::asleep);
  const pid_t pid = child.pid();
  child.end();
  EXPECT_EQ(looks_until_still(pid), 0);
}

TEST(StillWatch, ADebuggerMayHoldIt) {
  const Child child(Life::wakes);
  ASSERT_EQ(::ptrace(PTRACE_SEIZE, child.pid(), nullptr, nullptr), 0);
  ASSERT_EQ(::ptrace(PTRACE_INTERRUPT, child.pid(), nullptr, nullptr), 0);
  int status = 0;
  ASSERT_EQ(::waitpid(child.pid(), &status, __WALL), child.pid());
  EXPECT_EQ(looks_until_still(child.pid()), 0);
}

TEST(StillWatch, TimeInWhichTheWatchItselfWasStoppedIsAFewSeconds) {
  const Child child(Life::wakes);
  child.stop();
  StillWatch watch(child.pid(), patience_seconds, 0);
  EXPECT_FALSE(watch.is_still(3600));
  EXPECT_FALSE(watch.is_still(3600 + watch.look_seconds()));
}

TEST(WakingTime, ALateLookCountsAsTwoIntervals) {
  WakingTime waking(100, 5);
  EXPECT_EQ(waking.since_last_look(104), 4);
  EXPECT_EQ(waking.since_last_look(204), 10);
  EXPECT_EQ(waking.since_last_look(209), 5);
}

}  // namespace
}  // namespace regatta::launcher
