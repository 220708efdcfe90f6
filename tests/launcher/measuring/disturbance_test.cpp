#include "measuring/disturbance.hpp"

#include <gtest/gtest.h>
#include <sched.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {
namespace {

constexpr double slice_seconds = 0.1;

Counters counters(double at_seconds, std::map<pid_t, ThreadCounters> threads) {
  Counters result;
  result.at_seconds = at_seconds;
  result.threads = std::move(threads);
  return result;
}

TEST(Between, CountsOverThreadsAndTakesTheLongestWait) {
  const Counters before = counters(10, {{1, {1.0, 0.5, 3, 4}}, {2, {1.0, 0.1, 0, 0}}});
  const Counters after = counters(11, {{1, {1.25, 0.75, 5, 5}}, {2, {1.25, 0.125, 1, 0}}});
  const Disturbance found = between(before, after, 1);
  EXPECT_EQ(found.involuntary_switches, 3);
  EXPECT_EQ(found.migrations, 1);
  EXPECT_DOUBLE_EQ(found.runqueue_wait_seconds.value(), 0.25);
}

TEST(Between, AWorkerThatIsInItsOwnWayIsNotPreempted) {
  const Counters before = counters(10, {{1, {1.0, 0.0, 0, 0}}, {2, {1.0, 0.0, 0, 0}}});
  const Counters after = counters(11, {{1, {1.5, 0.5, 99, 0}}, {2, {1.5, 0.5, 99, 0}}});
  const Disturbance found = between(before, after, 1);
  EXPECT_DOUBLE_EQ(found.runqueue_wait_seconds.value(), 0);
  EXPECT_EQ(flags_of(found, 1), 0);
}

TEST(Between, AMomentOfSleepDoesNotMakeNeighboursOfItsOwnThreads) {
  const Counters before = counters(10, {{1, {1.0, 0.0, 0, 0}}, {2, {1.0, 0.0, 0, 0}}});
  const auto waited = [&](double run_seconds) {
    const Counters after = counters(11, {{1, {1 + run_seconds, 0.5, 99, 0}}, {2, {1.5, 0.5, 99, 0}}});
    return between(before, after, 1).runqueue_wait_seconds.value();
  };
  EXPECT_DOUBLE_EQ(waited(0.4998), 0);
  EXPECT_NEAR(waited(0.4), 0.1, 0.001);
}

TEST(Between, ASingleThreadIsNeverInItsOwnWay) {
  const Counters before = counters(10, {{1, {1.0, 0.0, 0, 0}}, {2, {1.0, 0.0, 0, 0}}});
  const Counters after = counters(11, {{1, {1.9999, 0.001, 1, 0}}, {2, {1.0, 0.0, 0, 0}}});
  EXPECT_DOUBLE_EQ(between(before, after, 1).runqueue_wait_seconds.value(), 0.001);
}

TEST(Between, CountsNewThreadsFromTheirStartAndForgetsEndedOnes) {
  const Counters before = counters(10, {{1, {1.0, 0.5, 3, 4}}, {2, {9.0, 9.0, 9, 9}}});
  const Counters after = counters(11, {{1, {1.0, 0.5, 3, 4}}, {3, {0.25, 0.125, 2, 1}}});
  const Disturbance found = between(before, after, 1);
  EXPECT_EQ(found.involuntary_switches, 2);
  EXPECT_EQ(found.migrations, 1);
  EXPECT_DOUBLE_EQ(found.runqueue_wait_seconds.value(), 0.125);
}

TEST(Between, AThreadNumberThatWasGivenAwayAgainIsANewThread) {
  const Disturbance found =
      between(counters(10, {{1, {5.0, 5.0, 50, 50}}}), counters(11, {{1, {0.25, 0.125, 2, 1}}}), 1);
  EXPECT_EQ(found.involuntary_switches, 2);
  EXPECT_DOUBLE_EQ(found.runqueue_wait_seconds.value(), 0.125);
}

TEST(Between, TakesStealOfTheCoreThatLostMost) {
  Counters before = counters(10, {});
  Counters after = counters(11, {});
  before.steal_seconds = {1.0, 2.0, std::nullopt};
  after.steal_seconds = {1.5, 2.25, 7.0};
  EXPECT_EQ(between(before, after, 3).steal_seconds, 0.5);
}

TEST(Between, LeavesOutWhatWasNotRead) {
  const Disturbance found = between({}, {}, 1);
  EXPECT_FALSE(found.involuntary_switches || found.migrations || found.runqueue_wait_seconds ||
               found.throttled_events || found.throttled_seconds || found.steal_seconds || found.megahertz);
  EXPECT_EQ(flags_of(found, slice_seconds), 0);
}

TEST(FlagsOf, NamesEachKindAboveItsThresholdAndNotBelow) {
  const auto flags = [](auto member, auto value, double seconds = slice_seconds) {
    Disturbance disturbance;
    disturbance.*member = value;
    return stats::disturbance_text(flags_of(disturbance, seconds));
  };
  EXPECT_EQ(flags(&Disturbance::runqueue_wait_seconds, 0.0006), "preempted");
  EXPECT_EQ(flags(&Disturbance::runqueue_wait_seconds, 0.0004), "");
  EXPECT_EQ(flags(&Disturbance::throttled_seconds, 0.0006), "throttled");
  EXPECT_EQ(flags(&Disturbance::throttled_seconds, 0.0004), "");
  EXPECT_EQ(flags(&Disturbance::steal_seconds, 0.01), "stolen");
  EXPECT_EQ(flags(&Disturbance::steal_seconds, 0.01, 10), "");
  EXPECT_EQ(flags(&Disturbance::migrations, 11), "migrated");
  EXPECT_EQ(flags(&Disturbance::migrations, 10), "");
  EXPECT_EQ(flags(&Disturbance::clock_ratio, 0.97), "clock");
  EXPECT_EQ(flags(&Disturbance::clock_ratio, 0.99), "");
  EXPECT_EQ(flags(&Disturbance::canary_ratio, 1.03), "canary");
  EXPECT_EQ(flags(&Disturbance::canary_ratio, 1.01), "");
}

TEST(FlagsOf, WhatStartingASliceCostsIsNoDisturbance) {
  Disturbance disturbance;
  disturbance.runqueue_wait_seconds = 90e-6;
  EXPECT_EQ(flags_of(disturbance, 0.001), 0);
  disturbance.runqueue_wait_seconds = 110e-6;
  EXPECT_EQ(flags_of(disturbance, 0.001), stats::preempted);
}

TEST(FlagsOf, SwitchesCountOnlyWhereWaitingIsNotCounted) {
  Disturbance disturbance;
  disturbance.involuntary_switches = 2;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), stats::preempted);
  disturbance.runqueue_wait_seconds = 1e-6;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), 0);
}

TEST(FlagsOf, ThrottlingWithoutItsDurationCountsByEvents) {
  Disturbance disturbance;
  disturbance.throttled_events = 1;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), stats::throttled);
}

TEST(FlagsOf, MigrationsAreJudgedByWhatIsUsual) {
  Disturbance disturbance;
  disturbance.migrations = 100;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), stats::migrated);
  disturbance.usual_migrations = 95;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), 0);
}

TEST(FlagsOf, ThreadsThatUsuallyWaitForEachOtherAreNotPreempted) {
  Disturbance disturbance;
  disturbance.runqueue_wait_seconds = 0.019;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), stats::preempted);
  disturbance.usual_wait_seconds = 0.01;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), 0);
  disturbance.runqueue_wait_seconds = 0.021;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), stats::preempted);
}

TEST(FlagsOf, OthersWhoTakeAShareOfTheCoresDisturbAllSlices) {
  Disturbance disturbance;
  disturbance.others_share = 0.04;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), 0);
  disturbance.others_share = 0.06;
  EXPECT_EQ(flags_of(disturbance, slice_seconds), stats::preempted);
}

/// The share of two cores that others took, after so many slices of 0.1 s.
std::optional<double> share_after(int slices, double others_seconds) {
  OthersShare share;
  std::optional<double> last;
  for (int i = 0; i < slices; ++i) {
    Disturbance slice;
    slice.core_seconds = 0.2;
    slice.own_seconds = 0.15;
    slice.busy_seconds = 0.15 + (i % 2 == 0 ? 2 * others_seconds : 0);  // ticks: now two, now none
    last = share.update(slice);
  }
  return last;
}

TEST(OthersShare, IsToldFromManySlices) {
  EXPECT_FALSE(share_after(10, 0.02));
  EXPECT_NEAR(share_after(60, 0.02).value(), 0.1, 0.01);
  EXPECT_NEAR(share_after(60, 0).value(), 0, 1e-9);
}

TEST(FlagsOf, SeveralBitsAreNamedTogether) {
  EXPECT_EQ(stats::disturbance_text(stats::preempted | stats::canary_off), "preempted,canary");
  unsigned all = 0;
  for (const auto& [flag, name] : stats::disturbance_names) all |= flag;
  EXPECT_EQ(all, 63U);
}

TEST(DisturbanceWatch, ComparesTheClockWithEarlierSlicesOfTheSameWorker) {
  const MachineTree machine;
  const auto megahertz = [&](const char* kilohertz) {
    machine.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", kilohertz);
  };
  megahertz("3000000");
  DisturbanceWatch watch(std::nullopt, {0}, machine.folders());
  for (int i = 0; i < 5; ++i) {
    watch.begin();
    EXPECT_FALSE(watch.end().value().clock_ratio);
  }
  watch.begin();
  megahertz("2400000");
  const Disturbance slow = watch.end().value();
  EXPECT_EQ(slow.megahertz, 2400);
  EXPECT_DOUBLE_EQ(slow.clock_ratio.value(), 0.8);
  EXPECT_TRUE(flags_of(slow, slice_seconds) & stats::clock_off);
}

/// A child that computes on one core until it is killed.
class Spinner {
 public:
  explicit Spinner(int cpu) : pid_(::fork()) {
    if (pid_ != 0) return;
    cpu_set_t one;
    CPU_ZERO(&one);
    CPU_SET(cpu, &one);
    ::sched_setaffinity(0, sizeof one, &one);
    for (;;) asm volatile("");
  }
  Spinner(const Spinner&) = delete;
  Spinner& operator=(const Spinner&) = delete;
  ~Spinner() { kill(); }
  void kill() {
    if (pid_ <= 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(std::exchange(pid_, -1), nullptr, 0);
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_;
};

int allowed_cpu() {
  cpu_set_t set;
  ::sched_getaffinity(0, sizeof set, &set);
  int cpu = 0;
  while (!CPU_ISSET(cpu, &set)) ++cpu;
  return cpu;
}

TEST(DisturbanceWatch, SeesWhoeverWantsTheSameCore) {
  const int cpu = allowed_cpu();
  const Spinner worker(cpu);
  const Spinner neighbour(cpu);
  ::usleep(20'000);  // until both are where they belong
  DisturbanceWatch watch(worker.pid(), {cpu});
  watch.begin();
  const double start = steady_seconds();
  ::usleep(200'000);  // many turns of either
  const auto seen = watch.end();
  ASSERT_TRUE(seen);
  EXPECT_TRUE(flags_of(*seen, steady_seconds() - start) & stats::preempted);
  EXPECT_GT(seen->involuntary_switches.value(), 0);
}

TEST(DisturbanceWatch, TellsNothingOfAWorkerThatEnded) {
  Spinner worker(allowed_cpu());
  DisturbanceWatch watch(worker.pid(), {allowed_cpu()});
  watch.begin();
  worker.kill();
  EXPECT_FALSE(watch.end());
  watch.begin();
  EXPECT_FALSE(watch.end());
}

TEST(DisturbanceWatch, NeedsABeginning) {
  DisturbanceWatch watch(std::nullopt, {});
  EXPECT_FALSE(watch.end());
}

}  // namespace
}  // namespace regatta::launcher
