#include "ranks/busy_watch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {
namespace {

constexpr pid_t agent = 7;
constexpr pid_t worker = 8;
constexpr pid_t spinner = 20;

/// A run of one agent with one worker, and a program that is none of it, on one core.
class BusyWatchTest : public ::testing::Test {
 protected:
  BusyWatchTest() {
    for (const pid_t pid : {agent, worker, spinner}) ran(pid, 0);
  }

  void ran(pid_t pid, double seconds) {
    static const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
    seconds_[pid] += seconds;
    busy_ += seconds;
    const std::string name = pid == spinner ? "spinner" : "own";
    machine_.write(fmt::format("proc/{}/stat", pid),
                   fmt::format("{} ({}) R 1 1 1 0 -1 0 0 0 0 0 {:.0f} 0 0 0 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 0 0 "
                               "0 17 0 0 0\n",
                               pid, name, seconds_[pid] * ticks));
    machine_.write("proc/stat", fmt::format("cpu  0 0 0 0 0 0 0 0\ncpu0 {:.0f} 0 0 9 9 0 0 0\n", busy_ * ticks));
  }
  BusyWatch watch() {
    return {[this] { return slots_; },
            [](pid_t pid) { return pid == agent ? std::vector<pid_t>{worker} : std::vector<pid_t>{}; }, 100,
            machine_.folders()};
  }
  /// Readings carry the real clock, and some of it has to pass.
  static void pass_time() { std::this_thread::sleep_for(std::chrono::milliseconds(250)); }

  MachineTree machine_;
  std::vector<OwnSlot> slots_ = {{agent, {0}}};
  std::map<pid_t, double> seconds_;
  double busy_ = 0;
};

TEST_F(BusyWatchTest, LooksHalfASecondAfterTheStartAndSaysItOnce) {
  BusyWatch others = watch();
  pass_time();
  ran(spinner, 100);
  EXPECT_FALSE(others.look(100.4).use) << "not yet";
  const OthersSeen seen = others.look(100.5);
  EXPECT_EQ(seen.use, (OthersUse{1.0, "spinner"}));
  EXPECT_TRUE(seen.is_news);
  EXPECT_FALSE(others.look(101).is_news);
  EXPECT_EQ(others.look(101).use, seen.use) << "until the next look";
  pass_time();
  EXPECT_EQ(others.look(111).use.value().share, 0);
  pass_time();
  ran(spinner, 100);
  EXPECT_FALSE(others.look(130).is_news) << "the line of progress says it again";
}

TEST_F(BusyWatchTest, CountsNoProcessOfItsOwnRunAsAnother) {
  BusyWatch others = watch();
  pass_time();
  ran(worker, 90);
  ran(agent, 10);
  EXPECT_EQ(others.look(101).use, (OthersUse{0, ""}));
}

TEST_F(BusyWatchTest, BeginsAnewWhereAnotherAgentOfItsRunJoins) {
  BusyWatch others = watch();
  pass_time();
  ran(spinner, 100);  // this is the other agent: it was there before it said so
  slots_.push_back({spinner, {0}});
  EXPECT_FALSE(others.look(101).use);
  pass_time();
  ran(spinner, 100);
  EXPECT_EQ(others.look(102).use, (OthersUse{0, ""}));
}

}  // namespace
}  // namespace regatta::launcher
