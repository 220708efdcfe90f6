#include "host/proc_counters.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <thread>

#include "launcher/host/machine_tree.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::launcher {
namespace {

constexpr pid_t worker_pid = 700;

/// A machine on which one worker runs on the cores 0 and 2.
class ProcCounters : public ::testing::Test {
 protected:
  void thread(int id, const std::string& schedstat, int involuntary, int migrations) {
    const std::string folder = fmt::format("proc/700/task/{}/", id);
    machine_.write(folder + "schedstat", schedstat + "\n");
    machine_.write(folder + "sched", fmt::format("python (700, #threads: 1)\n---\nse.nr_migrations   :   {}\n"
                                                 "nr_switches   :  90\nnr_involuntary_switches    :    {}\n",
                                                 migrations, involuntary));
  }
  CounterSource source(std::optional<pid_t> pid = worker_pid) { return {pid, {0, 2}, machine_.folders()}; }
  static const ThreadCounters& of(const std::optional<Counters>& counters, pid_t id) {
    return counters.value().threads.value().at(id);
  }

  MachineTree machine_;
};

TEST_F(ProcCounters, ReadsEveryThread) {
  thread(700, "2000000000 500000000 7", 3, 4);
  thread(701, "1000000000 0 1", 0, 1);
  auto counters = source();
  const auto read = counters.read();
  ASSERT_TRUE(read);
  EXPECT_EQ(read->threads->size(), 2U);
  EXPECT_EQ(of(read, 700), (ThreadCounters{2.0, 0.5, 3, 4}));
  EXPECT_EQ(of(read, 701), (ThreadCounters{1.0, 0.0, 0, 1}));
}

TEST_F(ProcCounters, SeesChangesThreadsThatStartAndThreadsThatEnd) {
  thread(700, "2000000000 500000000 7", 3, 4);
  thread(701, "1000000000 0 1", 0, 1);
  auto counters = source();
  ASSERT_TRUE(counters.read());
  thread(700, "2500000000 750000000 9", 5, 4);
  thread(702, "500000000 0 2", 1, 0);
  thread(703, "500000000 0 2", 1, 0);
  machine_.remove("proc/700/task/701");
  const auto read = counters.read();
  EXPECT_EQ(of(read, 700), (ThreadCounters{2.5, 0.75, 5, 4}));
  EXPECT_EQ(of(read, 702), (ThreadCounters{0.5, 0.0, 1, 0}));
  EXPECT_FALSE(read->threads->contains(701));
}

TEST_F(ProcCounters, WithoutSchedReadsSwitchesFromStatusAndLeavesMigrationsOut) {
  thread(700, "2000000000 500000000 7", 3, 4);
  machine_.remove("proc/700/task/700/sched");
  machine_.write("proc/700/task/700/status", "voluntary_ctxt_switches:\t5\nnonvoluntary_ctxt_switches:\t12\n");
  auto counters = source();
  EXPECT_EQ(of(counters.read(), 700), (ThreadCounters{2.0, 0.5, 12, std::nullopt}));
}

TEST_F(ProcCounters, TimesThatTheKernelDoesNotCountAreAbsentNotZero) {
  thread(700, "0 0 0", 3, 4);
  thread(701, "0 0 0", 1, 1);
  machine_.remove("proc/700/task/701/schedstat");
  auto counters = source();
  for (int i = 0; i < 2; ++i) {
    const auto read = counters.read();
    EXPECT_EQ(of(read, 700), (ThreadCounters{std::nullopt, std::nullopt, 3, 4}));
    EXPECT_EQ(of(read, 701), (ThreadCounters{std::nullopt, std::nullopt, 1, 1}));
  }
}

TEST_F(ProcCounters, IsNothingForAWorkerThatIsNotThereOrEnds) {
  auto none = source();
  EXPECT_FALSE(none.read());
  thread(700, "2000000000 500000000 7", 3, 4);
  auto counters = source();
  EXPECT_TRUE(counters.read());
  machine_.remove("proc/700");
  EXPECT_FALSE(counters.read());
}

TEST_F(ProcCounters, SumsThrottlingOverTheGroupsOfTheWorker) {
  thread(700, "1 0 1", 0, 0);
  machine_.write("proc/700/cgroup", "0::/outer/inner\n");
  machine_.write("sys/fs/cgroup/outer/inner/cpu.stat",
                 "usage_usec 9\nnr_periods 5\nnr_throttled 2\nthrottled_usec 1500000\n");
  machine_.write("sys/fs/cgroup/outer/cpu.stat", "usage_usec 9\nnr_periods 5\nnr_throttled 1\nthrottled_usec 500000\n");
  machine_.write("sys/fs/cgroup/cpu.stat", "usage_usec 9\n");
  auto counters = source();
  const auto read = counters.read();
  EXPECT_EQ(read->throttled_events, 3);
  EXPECT_EQ(read->throttled_seconds, 2.0);
}

TEST_F(ProcCounters, ReadsThrottlingInNanosecondsFromVersionOne) {
  machine_.write("proc/self/cgroup", "1:cpu:/\n");
  machine_.write("sys/fs/cgroup/cpu/cpu.stat", "nr_periods 5\nnr_throttled 2\nthrottled_time 250000000\n");
  auto counters = source(std::nullopt);
  EXPECT_EQ(counters.read()->throttled_events, 2);
  EXPECT_EQ(counters.read()->throttled_seconds, 0.25);
}

TEST_F(ProcCounters, ReadsStealAndFrequencyOfItsOwnCores) {
  machine_.write("proc/stat",
                 "cpu  9 9 9 9 9 9 9 9999 0 0\ncpu0 1 2 3 4 5 6 7 50 0 0\ncpu1 1 1 1 1 1 1 1 777 0 0\n"
                 "cpu2 1 2 3 4 5 6 7 100 0 0\nintr 5\n");
  machine_.write("sys/devices/system/cpu/cpu0/cpufreq/scaling_cur_freq", "3000000\n");
  machine_.write("sys/devices/system/cpu/cpu2/cpufreq/scaling_cur_freq", "2000000\n");
  auto counters = source(std::nullopt);
  const auto read = counters.read();
  const auto ticks = static_cast<double>(::sysconf(_SC_CLK_TCK));
  EXPECT_EQ(read->steal_seconds, (std::vector<std::optional<double>>{50 / ticks, 100 / ticks}));
  EXPECT_DOUBLE_EQ(read->busy_seconds.value(), 2 * (1 + 2 + 3 + 6 + 7) / ticks) << "neither idle, iowait nor steal";
  EXPECT_EQ(read->megahertz, 2500);
}

TEST_F(ProcCounters, ACoreThatIsOffHasNoStealOfItsNamesakes) {
  machine_.write("proc/stat", "cpu  9 9 9 9 9 9 9 9999 0 0\ncpu0 1 2 3 4 5 6 7 50 0 0\ncpu20 1 2 3 4 5 6 7 60 0 0\n");
  auto counters = source(std::nullopt);
  EXPECT_TRUE(counters.read()->steal_seconds[0]);
  EXPECT_FALSE(counters.read()->steal_seconds[1]);
}

TEST_F(ProcCounters, LeavesOutWhatThisMachineDoesNotTell) {
  machine_.write("proc/stat", "cpu  9 9 9 9 9 9 9 9 0 0\ncpu0 1 2 3 4\n");
  auto counters = source(std::nullopt);
  const auto read = counters.read();
  ASSERT_TRUE(read);
  EXPECT_FALSE(read->threads);
  EXPECT_FALSE(read->throttled_events);
  EXPECT_FALSE(read->throttled_seconds);
  EXPECT_FALSE(read->megahertz);
  EXPECT_EQ(read->steal_seconds, (std::vector<std::optional<double>>(2)));
}

/// A joined thread may stand in /proc a moment longer.
bool comes_to(CounterSource& source, std::size_t threads) {
  const Deadline deadline = Deadline::after(10);
  while (source.read()->threads->size() != threads) {
    if (deadline.passed()) return false;
    ::usleep(1000);
  }
  return true;
}

TEST(ProcCountersHere, FollowsTheThreadsOfThisProcess) {
  CounterSource source(::getpid(), {0});
  const auto before = source.read();
  ASSERT_TRUE(before);
  EXPECT_TRUE(before->threads->contains(::getpid()));
  std::atomic<bool> stop = false;
  std::vector<std::thread> threads;
  for (int i = 0; i < 20; ++i) threads.emplace_back([&] { stop.wait(false); });
  const auto during = source.read();
  stop = true;
  stop.notify_all();
  for (std::thread& each : threads) each.join();
  EXPECT_EQ(during->threads->size(), before->threads->size() + 20);
  EXPECT_TRUE(comes_to(source, before->threads->size()));
}

TEST(ProcCountersHere, NoticesAThreadThatTookThePlaceOfAnother) {
  std::atomic<bool> stop = false;
  std::atomic<pid_t> second_id = 0;
  std::thread first([&] { stop.wait(false); });
  CounterSource source(::getpid(), {0});
  const auto before = source.read();
  stop = true;
  stop.notify_all();
  first.join();
  CounterSource others(::getpid(), {0});
  ASSERT_TRUE(comes_to(others, before->threads->size() - 1));
  stop = false;
  std::thread second([&] {
    second_id = ::gettid();
    second_id.notify_all();
    stop.wait(false);
  });
  second_id.wait(0);
  const auto after = source.read();
  stop = true;
  stop.notify_all();
  second.join();
  EXPECT_EQ(after->threads->size(), before->threads->size());
  EXPECT_TRUE(after->threads->contains(second_id));
}

TEST(ProcCountersHere, IsNothingOnceAChildIsGone) {
  const pid_t child = ::fork();
  if (child == 0) {
    for (;;) ::pause();
  }
  CounterSource source(child, {0});
  EXPECT_TRUE(source.read());
  ::kill(child, SIGKILL);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_FALSE(source.read());
  EXPECT_FALSE(source.read());
}

TEST(PeakBytes, AreOfTheTimeSinceTheyWereForgotten) {
  constexpr std::size_t large = std::size_t{64} << 20;
  { const std::vector<char> touched(large, 'x'); }
  const auto before = peak_bytes_of(::getpid());
  forget_peak_of(::getpid());
  const auto after = peak_bytes_of(::getpid());
  EXPECT_GT(before, large);
  EXPECT_LE(after, before);
  EXPECT_GT(after, 0U);
  { const std::vector<char> touched(large, 'x'); }
  EXPECT_GT(peak_bytes_of(::getpid()), large);
}

TEST(MemorySource, TellsWhatIsHeldBesideThePeak) {
  constexpr std::size_t large = std::size_t{64} << 20;
  MemorySource source(::getpid());
  forget_peak_of(::getpid());
  const MemorySource::Resident before = source.read();
  { const std::vector<char> touched(large, 'x'); }
  const MemorySource::Resident after = source.read();
  EXPECT_GE(after.peak_bytes, before.now_bytes + large * 9 / 10);
  EXPECT_LT(after.now_bytes, before.now_bytes + large / 2) << "it was given back";
  const pid_t child = ::fork();
  if (child == 0) ::_exit(0);
  MemorySource ended(child);
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_EQ(ended.read().peak_bytes, 0U);
}

}  // namespace
}  // namespace regatta::launcher
