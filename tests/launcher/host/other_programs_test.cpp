#include "host/other_programs.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "launcher/host/machine_tree.hpp"

namespace regatta::launcher {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

/// A machine whose files say how long each core was busy and how long each process ran.
class OtherPrograms : public ::testing::Test {
 protected:
  void cores(double core0_seconds, double core1_seconds) {
    machine_.write("proc/stat", fmt::format("cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 {:.0f} 0 0 500 70 0 0 0 0 0\n"
                                            "cpu1 0 0 {:.0f} 500 70 0 0 900 0 0\nintr 5\n",
                                            core0_seconds * ticks_, core1_seconds * ticks_));
  }
  void process(pid_t pid, const std::string& name, double seconds, double ended_seconds = 0, int cpu = 0) {
    machine_.write(fmt::format("proc/{}/stat", pid),
                   fmt::format("{} ({}) R 1 1 1 0 -1 0 0 0 0 0 {:.0f} 0 0 {:.0f} 20 0 1 0 5 0 0 0 0 0 0 0 0 0 0 0 0 "
                               "0 0 0 17 {} 0 0\n",
                               pid, name, seconds * ticks_, ended_seconds * ticks_, cpu));
  }
  SlotReading read(double at_seconds, const std::set<pid_t>& own) {
    Counters counters = CounterSource({}, {0, 1}, machine_.folders()).read().value();
    counters.at_seconds = at_seconds;
    return slot_reading(machine_.folders(), counters, own);
  }

  const double ticks_ = static_cast<double>(::sysconf(_SC_CLK_TCK));
  MachineTree machine_;
};

TEST_F(OtherPrograms, AreWhatCoresWereBusyWithLessWhatTheRunUsedItself) {
  cores(100, 200);
  process(7, "regatta", 1);
  process(8, "regatta-worker", 50);
  const SlotReading before = read(0, {7, 8});
  cores(104, 205);
  process(7, "regatta", 1.5);
  process(8, "regatta-worker", 53.5);
  const auto share = share_of_others(before, read(5, {7, 8}), 2);
  EXPECT_NEAR(share.value(), (9.0 - 4.0) / 10, 1e-9);
}

TEST_F(OtherPrograms, AreNotTheProcessesThatTheRunStartedAndThatHaveEnded) {
  cores(100, 200);
  process(7, "regatta", 1);
  process(8, "program", 2);
  const SlotReading before = read(0, {7, 8});
  cores(105, 200);
  process(7, "regatta", 1, 2 + 5);  // the first one took 3 seconds more, another one 2
  machine_.remove("proc/8");
  EXPECT_NEAR(share_of_others(before, read(5, {7}), 2).value(), 0, 1e-9);
}

TEST_F(OtherPrograms, AreNotKnownAfterTooShortATimeOrWithoutCounters) {
  cores(100, 200);
  const SlotReading before = read(0, {});
  EXPECT_FALSE(share_of_others(before, read(0.05, {}), 2));
  EXPECT_TRUE(share_of_others(before, read(0.5, {}), 2));
  machine_.remove("proc/stat");
  EXPECT_FALSE(share_of_others(before, read(5, {}), 2));
}

TEST_F(OtherPrograms, AreListedByNameAndTheOneThatTookMostOnTheseCoresIsNamed) {
  process(20, "cc1plus", 100);
  process(21, "a (b) c", 1);
  process(22, "elsewhere", 1, 0, 3);
  process(23, "own", 1);
  const auto before = other_processes(machine_.folders(), {23});
  process(20, "cc1plus", 101);  // a process that ran long before is not blamed for that
  process(21, "a (b) c", 2.5);
  process(22, "elsewhere", 90, 0, 3);
  process(23, "own", 90);
  const auto after = other_processes(machine_.folders(), {23});
  EXPECT_EQ(worst_program(before, after, {0, 1}, 2.5), "a (b) c");
  process(24, "cc1plus", 1);  // started meanwhile: two of one name count together
  EXPECT_EQ(worst_program(before, other_processes(machine_.folders(), {23}), {0, 1}, 3.5), "cc1plus");
  EXPECT_EQ(worst_program(before, after, {0, 1}, 60), "") << "most of it was done by somebody who cannot be seen";
}

TEST(SlotGroups, AreSlotsThatShareCores) {
  const std::vector<OwnSlot> slots = {{10, {0, 1}}, {11, {2, 3}}, {12, {4}}, {13, {3, 4}}};
  EXPECT_THAT(groups_of(slots), ElementsAre(SlotGroup{{10}, {0, 1}}, SlotGroup{{11, 12, 13}, {2, 3, 4}}));
}

TEST(BusySentence, SaysHowMuchByWhomAndWhatToDo) {
  EXPECT_EQ(busy_sentence({0.714, "cc1plus"}),
            "other programs use 71 % of the cores that this run measures on (most: cc1plus). Stop them or wait: until "
            "then only large differences can be told");
  EXPECT_EQ(busy_clause({0.714, "cc1plus"}), "other programs use 71 % of these cores (most: cc1plus)");
  EXPECT_THAT(busy_sentence({0.714, ""}), HasSubstr("cannot be seen from here"));
  EXPECT_THAT(busy_clause({0.714, ""}), Not(HasSubstr("most")));
  EXPECT_TRUE(is_busy({0.21, ""}));
  EXPECT_FALSE(is_busy({0.2, ""}));
}

}  // namespace
}  // namespace regatta::launcher
