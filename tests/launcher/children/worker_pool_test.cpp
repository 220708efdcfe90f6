#include "children/worker_pool.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sched.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

#include "children/worker_death.hpp"
#include "regatta/base/clock.hpp"
#include "support/places.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using sweep::FailureKind;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr double patience_seconds = 60;
const Chores no_chores = [] { return 0.01; };
const ProcessKey one{"fake", "native"};
const ProcessKey other{"fake", "native", 1, 1};

/// Workers of tests/support/fake_worker.py, behind a spawner of their own.
class WorkerPoolTest : public testing::Test {
 protected:
  WorkerPoolTest() : client_(start_spawner_keeper(), no_chores) {}

  WorkerPool pool(double timeout_seconds = patience_seconds) {
    PoolOptions options;
    options.cpus = {::sched_getcpu()};
    options.log_folder = folder_.path().string();
    options.timeout_seconds = timeout_seconds;
    return {client_, options, no_chores};
  }
  static WorkerProgram fake(const std::vector<std::string>& words = {}) {
    WorkerProgram program{"fake", {"python3", support::source_folder() + "/tests/support/fake_worker.py"}, {}};
    program.argv.insert(program.argv.end(), words.begin(), words.end());
    return program;
  }
  static protocol::WorkerReply prepare(WorkerPool& pool, Worker& worker) {
    return pool.ask(worker, protocol::Prepare{{0}, {}, "{}", "", ""});
  }

  support::TemporaryFolder folder_;  // It is removed last: workers write their logs until they are ended.
  SpawnerClient client_;
};

template <class Act>
void expect_death(FailureKind kind, const std::string& text, const Act& act) {
  try {
    act();
    FAIL() << "no_chores died";
  } catch (const WorkerDied& died) {
    EXPECT_EQ(died.kind, kind) << died.what();
    EXPECT_THAT(died.what(), HasSubstr(text));
  }
}

/// As in /proc/PID/stat: T while it is stopped.
char state_of(pid_t pid) {
  std::ifstream stat(fmt::format("/proc/{}/stat", pid));
  std::string number;
  std::string name;
  char state = '?';
  stat >> number >> name >> state;
  return state;
}

bool reaches(pid_t pid, bool stopped) {
  const Deadline deadline = Deadline::after(patience_seconds);
  while ((state_of(pid) == 'T') != stopped && !deadline.passed()) ::usleep(2000);
  return (state_of(pid) == 'T') == stopped;
}

TEST_F(WorkerPoolTest, KeepsOneWarmWorkerForAKey) {
  WorkerPool workers = pool();
  const pid_t first = workers.warm_worker(one, fake(), 1).pid;
  EXPECT_EQ(workers.running_worker(one).ready.engine_version, "fake");
  EXPECT_EQ(workers.warm_worker(one, fake(), 1).pid, first);
  EXPECT_NE(workers.warm_worker(other, fake(), 1).pid, first);
  workers.retire(one);
  EXPECT_FALSE(workers.has(one));
  EXPECT_TRUE(workers.has(other));
  workers.stop_all();
  EXPECT_FALSE(workers.has(other));
}

TEST_F(WorkerPoolTest, ReplacesAnIdleWorkerThatEndedByItself) {
  WorkerPool workers = pool();
  const pid_t first = workers.warm_worker(one, fake(), 1).pid;
  ::kill(first, SIGKILL);
  const Deadline deadline = Deadline::after(patience_seconds);
  while (workers.warm_worker(one, fake(), 1).pid == first && !deadline.passed()) ::usleep(2000);
  EXPECT_NE(workers.running_worker(one).pid, first);
  workers.stop_all();
}

std::vector<int> cores_of(pid_t pid) {
  cpu_set_t set;
  CPU_ZERO(&set);
  EXPECT_EQ(::sched_getaffinity(pid, sizeof set, &set), 0);
  std::vector<int> cores;
  for (int core = 0; core < CPU_SETSIZE; ++core)
    if (CPU_ISSET(core, &set)) cores.push_back(core);
  return cores;
}

TEST_F(WorkerPoolTest, BeginsAWorkerOnOtherCoresAndTakesItToItsOwn) {
  WorkerPool workers = pool();
  cpu_set_t all;
  CPU_ZERO(&all);
  ASSERT_EQ(::sched_getaffinity(0, sizeof all, &all), 0);
  const std::vector<int> elsewhere = cores_of(0);
  workers.begin(one, fake(), elsewhere);
  const pid_t begun = workers.running_worker(one).pid;
  EXPECT_TRUE(workers.running_worker(one).is_beginning);
  workers.warm_worker(other, fake(), 1);
  workers.pause_others(nullptr);
  EXPECT_FALSE(workers.running_worker(one).paused) << "nothing is scored while a worker begins";
  Worker& ready = workers.warm_worker(one, fake(), 1);
  EXPECT_EQ(ready.pid, begun);
  EXPECT_EQ(ready.ready.engine_version, "fake");
  EXPECT_TRUE(ready.began_beside);
  EXPECT_FALSE(ready.is_beginning);
  EXPECT_EQ(cores_of(begun), workers.cpus_for(1));
  workers.stop_all();
}

TEST_F(WorkerPoolTest, TellsHowAWorkerEndedThatWasOnlyBegun) {
  WorkerPool workers = pool();
  workers.begin(one, fake(), workers.cpus_for(1));
  ::kill(workers.running_worker(one).pid, SIGKILL);
  expect_death(FailureKind::crashed, "while it was starting and importing what it needs",
               [&] { workers.warm_worker(one, fake(), 1); });
  EXPECT_FALSE(workers.has(one));
}

TEST_F(WorkerPoolTest, BeginsWorkersOnCoresThatNobodyIsMeasuredOn) {
  const auto beside = [&](std::vector<int> cores, std::int64_t threads) {
    PoolOptions options;
    options.cpus = std::move(cores);
    return WorkerPool(client_, options, no_chores).cpus_beside(threads);
  };
  EXPECT_THAT(beside({4, 5, 6}, 1), ElementsAre(ElementsAre(5), ElementsAre(4)));
  EXPECT_THAT(beside({3, 4, 5, 6, 7}, 2), ElementsAre(ElementsAre(4, 5)));
  EXPECT_THAT(beside({3}, 1), ElementsAre());
  EXPECT_THAT(beside({3, 4}, 3), ElementsAre());
}

TEST_F(WorkerPoolTest, StopsAllButTheActiveWorkerAndWakesWhoIsAsked) {
  WorkerPool workers = pool();
  workers.warm_worker(one, fake(), 1);
  Worker& second = workers.warm_worker(other, fake(), 1);
  workers.pause_others(&workers.running_worker(one));
  EXPECT_TRUE(reaches(second.pid, true));
  EXPECT_TRUE(std::holds_alternative<protocol::Prepared>(prepare(workers, second)));
  EXPECT_TRUE(reaches(second.pid, false));
  EXPECT_FALSE(second.paused);
  workers.stop_all();
}

TEST_F(WorkerPoolTest, RefusesAWorkerOfAnotherProtocol) {
  WorkerPool workers = pool();
  expect_death(FailureKind::protocol, "speaks protocol version 99, this launcher 1", [&] {
    workers.warm_worker(one, fake({"--behave", "lie", "--on", "hello"}), 1);
  });
  EXPECT_FALSE(workers.has(one));
}

TEST_F(WorkerPoolTest, NamesTheSignalThatEndedAWorker) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--behave", "segv", "--on", "prepare"}), 1);
  expect_death(FailureKind::crashed, "killed by signal 11", [&] { prepare(workers, worker); });
  EXPECT_FALSE(workers.has(one));
}

TEST_F(WorkerPoolTest, KillsAWorkerThatTalksNonsense) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--behave", "garbage", "--on", "prepare"}), 1);
  expect_death(FailureKind::protocol, "", [&] { prepare(workers, worker); });
  EXPECT_FALSE(workers.has(one));
}

TEST_F(WorkerPoolTest, SaysOfAWorkerThatClosedItsLinkWhoEndedIt) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--behave", "eof", "--on", "prepare"}), 1);
  expect_death(FailureKind::protocol, "closed its link to Regatta and went on by itself, so Regatta ended it",
               [&] { prepare(workers, worker); });
  EXPECT_FALSE(workers.has(one));
}

TEST_F(WorkerPoolTest, SaysInWhatAWorkerHung) {
  WorkerPool workers = pool(0.5);
  expect_death(FailureKind::timed_out, "no answer to hello within limits.trial_timeout, 0.5 s", [&] {
    workers.warm_worker(one, fake({"--behave", "hang", "--on", "hello"}), 1);
  });
}

TEST_F(WorkerPoolTest, KillsARankThatHangsOnceTheOthersGaveItUp) {
  WorkerPool workers = pool(2);
  Worker& worker = workers.warm_worker(one, fake({"--behave", "hang", "--on", "prepare"}), 1);
  const double begin_seconds = steady_seconds();
  worker.is_given_up = [&] {
    EXPECT_GE(steady_seconds() - begin_seconds, workers.patience_seconds()) << "nobody is given up before";
    return true;
  };
  expect_death(FailureKind::timed_out,
               "no answer to prepare, which builds the model within the 1.6 s for which its other ranks wait, four "
               "fifths of limits.trial_timeout",
               [&] { prepare(workers, worker); });
}

TEST_F(WorkerPoolTest, WaitsForARankThatNobodyGaveUpAsForAnyOther) {
  WorkerPool workers = pool(2);
  Worker& worker = workers.warm_worker(one, fake({"--behave", "hang", "--on", "prepare"}), 1);
  worker.is_given_up = [] { return false; };
  expect_death(FailureKind::timed_out, "which builds the model within limits.trial_timeout, 2 s",
               [&] { prepare(workers, worker); });
}

TEST_F(WorkerPoolTest, KillsAWorkerWhoseAnswerNobodyWaitsFor) {
  bool gave_up = false;
  SpawnerClient client(start_spawner_keeper(), no_chores, [&] { return gave_up; });
  PoolOptions options;
  options.cpus = {::sched_getcpu()};
  options.log_folder = folder_.path().string();
  WorkerPool workers(client, options, no_chores);
  Worker& worker = workers.warm_worker(one, fake({"--behave", "hang", "--on", "prepare"}), 1);
  const pid_t pid = worker.pid;
  gave_up = true;
  EXPECT_THROW(prepare(workers, worker), GivenUp);
  EXPECT_FALSE(workers.has(one));
  EXPECT_NE(::kill(pid, 0), 0) << "it is gone";
}

TEST_F(WorkerPoolTest, DoesNotBlameAWorkerThatWasToldToEndJustBeforeItsRank) {
  int asked = 0;
  SpawnerClient client(start_spawner_keeper(), no_chores, [&] { return ++asked > 3; });
  PoolOptions options;
  options.cpus = {::sched_getcpu()};
  options.log_folder = folder_.path().string();
  WorkerPool workers(client, options, no_chores);
  Worker& worker = workers.warm_worker(one, fake({}), 1);
  asked = 0;
  ::kill(worker.pid, SIGTERM);
  EXPECT_THROW(prepare(workers, worker), GivenUp);
  EXPECT_FALSE(workers.has(one));
}

protocol::WorkerRequest slice_of(std::uint32_t number) { return protocol::Slice{{0}, {stats::Phase::steady, number}}; }

/// The requests of three blocks of one slice each.
std::vector<protocol::WorkerRequest> three_blocks() {
  std::vector<protocol::WorkerRequest> requests;
  for (std::uint32_t block = 0; block < 3; ++block) {
    requests.emplace_back(protocol::Prepare{{0}, {}, "{}", "", ""});
    requests.push_back(slice_of(block));
    requests.emplace_back(protocol::Release{{0}});
  }
  return requests;
}

TEST_F(WorkerPoolTest, AWorkerOfAnotherBuildIsSpokenToInJson) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--packed", "another layout"}), 1);
  EXPECT_TRUE(std::holds_alternative<protocol::Prepared>(prepare(workers, worker)));
  workers.stop_all();
}

TEST_F(WorkerPoolTest, AnswersWhatWasSentAheadWhenItIsAskedFor) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--answers-together"}), 1);
  EXPECT_TRUE(workers.send_ahead(worker, three_blocks()));
  std::uint32_t slices = 0;
  for (const protocol::WorkerRequest& request : three_blocks()) {
    EXPECT_EQ(worker.ahead.front(), request);
    const protocol::WorkerReply reply = workers.ask(worker, request);
    if (const auto* samples = std::get_if<protocol::Samples>(&reply)) {
      EXPECT_EQ(samples->samples.front().slice, slices++);
    }
  }
  EXPECT_EQ(slices, 3U);
  EXPECT_TRUE(worker.ahead.empty());
  workers.stop_all();
}

TEST_F(WorkerPoolTest, ForgetsWhatWasSentAheadWhereSomethingElseIsAsked) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--answers-together"}), 1);
  workers.send_ahead(worker, three_blocks());
  workers.ask(worker, three_blocks().front());
  const auto samples = std::get<protocol::Samples>(workers.ask(worker, slice_of(9)));
  EXPECT_EQ(samples.samples.front().slice, 9U);
  EXPECT_TRUE(worker.ahead.empty());
  workers.stop_all();
}

TEST_F(WorkerPoolTest, SendsNoMoreAheadThanTheLinkHolds) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--answers-together"}), 1);
  const std::vector<protocol::WorkerRequest> large = {
      protocol::Prepare{{0}, {}, "{\"a\":\"" + std::string(40'000, 'x') + "\"}", "", ""}};
  EXPECT_TRUE(workers.send_ahead(worker, large));
  EXPECT_FALSE(workers.send_ahead(worker, large));
  EXPECT_EQ(worker.ahead.size(), 1U);
  workers.ask(worker, large.front());
  EXPECT_TRUE(workers.send_ahead(worker, large)) << "the link is empty again";
  workers.stop_all();
}

TEST_F(WorkerPoolTest, TellsWhoeverAsksThatTheWorkerDiedOfWhatWasSentAhead) {
  WorkerPool workers = pool();
  Worker& worker = workers.warm_worker(one, fake({"--answers-together", "--behave", "segv", "--on", "slice"}), 1);
  workers.send_ahead(worker, three_blocks());
  workers.ask(worker, three_blocks()[0]);
  expect_death(FailureKind::crashed, "killed by signal 11", [&] { workers.ask(worker, slice_of(0)); });
  EXPECT_FALSE(workers.has(one));
}

TEST_F(WorkerPoolTest, SaysWhatCouldNotBeStarted) {
  WorkerPool workers = pool();
  expect_death(FailureKind::could_not_start, "cannot start '/nonexistent/worker'", [&] {
    workers.warm_worker(one, {"fake", {"/nonexistent/worker"}, {}}, 1);
  });
}

TEST_F(WorkerPoolTest, DoesNotStartAgainWhatExitsBeforeItsFirstHello) {
  WorkerPool workers = pool();
  const std::filesystem::path broken = folder_ / "broken";
  WorkerProgram program = fake();
  std::vector<std::string> argv = {"/bin/sh", "-c", "test -e \"$0\" && exit 3; exec \"$@\"", broken};
  argv.insert(argv.end(), program.argv.begin(), program.argv.end());
  program.argv = argv;
  std::ofstream(broken).put('\n');
  expect_death(FailureKind::could_not_start, "exited with status 3", [&] { workers.warm_worker(one, program, 1); });
  std::filesystem::remove(broken);
  workers.warm_worker(one, program, 1);
  workers.retire(one);
  std::ofstream(broken).put('\n');
  expect_death(FailureKind::crashed, "exited with status 3", [&] { workers.warm_worker(one, program, 1); });
}

TEST_F(WorkerPoolTest, BindsToTheLastCoresOfTheSlot) {
  PoolOptions options;
  options.cpus = {2, 3, 6, 7};
  const WorkerPool workers(client_, options, no_chores);
  EXPECT_THAT(workers.cpus_for(1), ElementsAre(7));
  EXPECT_THAT(workers.cpus_for(3), ElementsAre(3, 6, 7));
  EXPECT_THAT(workers.cpus_for(9), ElementsAre(2, 3, 6, 7));
}

}  // namespace
}  // namespace regatta::launcher
