#include <gtest/gtest.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <vector>

#include "children/children.hpp"
#include "children/spawner_client.hpp"
#include "children/worker_death.hpp"
#include "os/process_tree.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

const Chores nothing = [] { return 1.0; };

bool alive(pid_t pid) { return ::kill(pid, 0) == 0; }

bool dies_within(pid_t pid, double seconds) {
  const Deadline deadline = Deadline::after(seconds);
  while (alive(pid) && !deadline.passed()) ::usleep(5000);
  return !alive(pid);
}

/// A spawner of its own for each test, and a folder for logs.
class SpawnerTest : public testing::Test {
 protected:
  SpawnerTest() : keeper_(start_spawner_keeper()), keeper_pid_(keeper_.pid), client_(std::move(keeper_), nothing) {}

  protocol::RunProgram program(std::vector<std::string> argv) {
    return {client_.next_id(), std::move(argv), {}, {}, (folder_ / "log").string(), 0};
  }
  protocol::Exited run(std::vector<std::string> argv, double timeout_seconds = 20) {
    return client_.run(program(std::move(argv)), timeout_seconds, timed_out_);
  }
  protocol::SpawnWorker worker(std::vector<std::string> argv) {
    return {client_.next_id(), std::move(argv), {}, {}, (folder_ / "log").string(), 0};
  }

  /// Ends the spawner and waits until its keeper has seen that.
  void end_spawner(int how) {
    const std::vector<pid_t> before = children_of(keeper_pid_);
    ASSERT_EQ(before.size(), 1U);
    ::kill(before.front(), how);
    ASSERT_TRUE(dies_within(before.front(), 5));
  }

  support::TemporaryFolder folder_;  // It is removed last: children write their logs until they are ended.
  SpawnerKeeper keeper_;
  pid_t keeper_pid_;
  SpawnerClient client_;
  bool timed_out_ = false;
};

pid_t written_pid(const std::filesystem::path& file) {
  const Deadline deadline = Deadline::after(10);
  pid_t pid = 0;
  while (pid == 0 && !deadline.passed()) {
    std::ifstream(file) >> pid;
    ::usleep(5000);
  }
  return pid;
}

TEST_F(SpawnerTest, ReturnsOutputStatusAndTimeOfAProgram) {
  const auto exit = run({"sh", "-c", "echo hello; sleep 0.05; exit 7"});
  EXPECT_EQ(exit.output, "hello\n");
  EXPECT_EQ(WEXITSTATUS(exit.wait_status), 7);
  EXPECT_GE(exit.seconds, 0.05);
  EXPECT_GT(exit.peak_bytes, 0U);
  EXPECT_FALSE(timed_out_);
}

TEST_F(SpawnerTest, KeepsStandardErrorInTheLog) {
  run({"sh", "-c", "echo problem >&2"});
  EXPECT_EQ(read_file(folder_ / "log"), "problem\n");
}

TEST_F(SpawnerTest, SaysWhatCouldNotBeStarted) {
  try {
    run({"/nonexistent/program"});
    FAIL() << "started";
  } catch (const CouldNotStart& error) {
    EXPECT_STREQ(error.what(), "cannot start '/nonexistent/program': No such file or directory");
  }
}

TEST_F(SpawnerTest, TellsAProgramThatRunsTooLongToEnd) {
  const auto exit = run({"sleep", "60"}, 0.1);
  EXPECT_TRUE(timed_out_);
  EXPECT_EQ(WTERMSIG(exit.wait_status), SIGTERM) << "it ended at once, and nobody waited for more";
  EXPECT_LT(exit.seconds, 20);
}

TEST_F(SpawnerTest, LetsAProgramThatRunsTooLongEndWhatItStarted) {
  const auto file = folder_ / "ended";
  // The shell ends at once; its child takes a moment to end what it has elsewhere.
  const std::string child = "trap 'sleep 0.3; echo yes > " + file.string() + "; exit' TERM; sleep 60 & wait";
  run({"sh", "-c", "sh -c \"$0\" & exec sleep 60", child}, 0.3);
  EXPECT_TRUE(timed_out_);
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(SpawnerTest, KillsAProgramThatDoesNotEndWhenItIsTold) {
  const auto exit = run({"sh", "-c", "trap '' TERM; sleep 60 & wait; sleep 60"}, 0.1);
  EXPECT_TRUE(timed_out_);
  EXPECT_EQ(WTERMSIG(exit.wait_status), SIGKILL);
  EXPECT_LT(exit.seconds, 20);
}

TEST_F(SpawnerTest, LetsAProgramPrintAsMuchAsItLikes) {
  const auto exit = run({"sh", "-c", "yes 0123456 | head -n 3000000; echo '{\"v\": 1}'; echo trouble >&2"});
  EXPECT_FALSE(exit.flooded);
  EXPECT_EQ(exit.wait_status, 0);
  EXPECT_TRUE(exit.printed().ends_with("0123456\n{\"v\": 1}\n"));
  EXPECT_EQ(exit.complaints(), "trouble\n");
  EXPECT_EQ(exit.printed_bytes, 24000009U);
  EXPECT_LT(exit.output.size(), 200U << 10);
}

TEST_F(SpawnerTest, KillsAProgramThatPrintsAllTheTime) {
  const auto exit = run({"yes"}, 0.3);
  EXPECT_TRUE(timed_out_);
  EXPECT_LT(exit.seconds, 10);
}

TEST_F(SpawnerTest, LeavesNoGrandchildBehindEvenInASessionOfItsOwn) {
  const auto file = folder_ / "pid";
  run({"sh", "-c", "setsid sleep 300 & echo $! > " + file.string()});
  const pid_t pid = written_pid(file);
  ASSERT_GT(pid, 0);
  EXPECT_TRUE(dies_within(pid, 1));
}

TEST_F(SpawnerTest, HidesTheMpiLaunchFromChildren) {
  ::setenv("OMPI_COMM_WORLD_RANK", "0", 1);
  const auto exit = run({"env"});  // the spawner of this test was forked before
  EXPECT_EQ(exit.output.find("OMPI_"), std::string::npos);
  ::unsetenv("OMPI_COMM_WORLD_RANK");
  ::setenv("PMIX_RANK", "0", 1);
  SpawnerClient later(start_spawner_keeper(), nothing);
  bool timed_out = false;
  const auto second =
      later.run({later.next_id(), {"env"}, {{"ADDED", "yes"}}, {}, (folder_ / "log").string(), 0}, 20, timed_out);
  ::unsetenv("PMIX_RANK");
  EXPECT_EQ(second.output.find("PMIX_"), std::string::npos);
  EXPECT_NE(second.output.find("ADDED=yes"), std::string::npos);
}

TEST_F(SpawnerTest, KillsAProgramWhoseEndNobodyWaitsFor) {
  SpawnerClient client(start_spawner_keeper(), nothing, [] { return true; });
  bool timed_out = false;
  const auto file = folder_ / "pid";
  auto request = program({"sh", "-c", "echo $$ > " + file.string() + "; exec sleep 300"});
  request.worker = client.next_id();
  EXPECT_THROW(client.run(request, 200, timed_out), GivenUp);
  EXPECT_FALSE(timed_out);
  EXPECT_TRUE(dies_within(written_pid(file), 1));
}

TEST_F(SpawnerTest, DoesNotBlameAProgramThatWasToldToEndJustBeforeItsRank) {
  int asked = 0;
  SpawnerClient client(start_spawner_keeper(), nothing, [&] { return ++asked > 3; });
  for (const char* how : {"kill -TERM $$", "exit 143"}) {
    asked = 0;
    bool timed_out = false;
    auto request = program({"sh", "-c", how});
    request.worker = client.next_id();
    EXPECT_THROW(client.run(request, 200, timed_out), GivenUp) << how;
  }
}

TEST_F(SpawnerTest, ReturnsAProgramThatWasToldToEndAlone) {
  const auto exit = run({"sh", "-c", "kill -TERM $$"});
  EXPECT_EQ(WTERMSIG(exit.wait_status), SIGTERM);
}

TEST_F(SpawnerTest, BindsAChildToItsCores) {
  auto request = program({"grep", "Cpus_allowed_list", "/proc/self/status"});
  request.cpus = {0};
  EXPECT_EQ(client_.run(request, 20, timed_out_).output, "Cpus_allowed_list:\t0\n");
}

TEST_F(SpawnerTest, LimitsTheMemoryOfAChild) {
  auto request = program({"python3", "-c", "b = bytearray(600_000_000)"});
  request.memory_bytes = 200'000'000;
  EXPECT_NE(client_.run(request, 20, timed_out_).wait_status, 0);
  request = program({"python3", "-c", "b = bytearray(600_000_000)"});
  EXPECT_EQ(client_.run(request, 20, timed_out_).wait_status, 0);
}

TEST_F(SpawnerTest, GivesAWorkerItsLinkAsDescriptorThree) {
  const auto request = worker({"sh", "-c", "cat <&3 >&3"});
  const StartedWorker started = client_.spawn(request);
  ASSERT_EQ(::write(started.link.get(), "ping", 4), 4);
  char answer[4] = {};
  ASSERT_EQ(::read(started.link.get(), answer, 4), 4);
  EXPECT_EQ(std::string(answer, 4), "ping");
}

TEST_F(SpawnerTest, TellsAWorkerThatItHasALinkAndNoOtherProgram) {
  const std::string tell = "printf %s \"${REGATTA_WORKER_LINK-none}\"";
  const StartedWorker started = client_.spawn(worker({"sh", "-c", tell + " >&3"}));
  char answer[4] = {};
  ASSERT_EQ(::read(started.link.get(), answer, 4), 1);
  EXPECT_EQ(std::string(answer), "3");
  EXPECT_EQ(client_.run(program({"sh", "-c", tell}), 20, timed_out_).output, "none");
}

TEST_F(SpawnerTest, PausesAndResumesAWorker) {
  const auto request = worker({"sh", "-c", "cat <&3 >&3"});
  const StartedWorker started = client_.spawn(request);
  client_.pause(request.worker, true);
  ::usleep(100'000);
  ASSERT_EQ(::write(started.link.get(), "ping", 4), 4);
  EXPECT_FALSE(wait_readable({started.link.get()}, Deadline::after(0.2), nothing));
  client_.pause(request.worker, false);
  EXPECT_TRUE(wait_readable({started.link.get()}, Deadline::after(10), nothing));
}

TEST_F(SpawnerTest, ReportsAKilledWorkerOnceItsTreeIsGone) {
  const auto file = folder_ / "pid";
  const auto request = worker({"sh", "-c", "sleep 300 & echo $! > " + file.string() + "; wait"});
  const StartedWorker started = client_.spawn(request);
  const pid_t child = written_pid(file);
  client_.kill(request.worker);
  const auto exit = client_.wait_exit(request.worker, 10);
  EXPECT_EQ(WTERMSIG(exit.wait_status), SIGKILL);
  EXPECT_FALSE(alive(child));
  EXPECT_TRUE(wait_readable({started.pidfd.get()}, Deadline::after(0), nothing));
}

TEST_F(SpawnerTest, DiesWithItsAgentAndTakesItsWorkersAlong) {
  SpawnerKeeper keeper = start_spawner_keeper();
  const pid_t keeper_pid = keeper.pid;
  pid_t child = 0;
  pid_t spawner = 0;
  {
    SpawnerClient client(std::move(keeper), nothing);
    const auto file = folder_ / "pid";
    client.spawn({client.next_id(),
                  {"sh", "-c", "echo $$ > " + file.string() + "; sleep 300"},
                  {},
                  {},
                  (folder_ / "log").string(),
                  0});
    child = written_pid(file);
    spawner = children_of(keeper_pid).front();
  }
  EXPECT_TRUE(dies_within(child, 5));
  int status = 0;
  EXPECT_EQ(::waitpid(keeper_pid, &status, 0), keeper_pid);
  EXPECT_EQ(status, 0);
  EXPECT_FALSE(alive(spawner));
}

/// How a child that keeps a keeper ends; 0 if it lives after some seconds.
int end_of_agent(const std::optional<AgentWatch>& watch, double seconds) {
  const pid_t agent = ::fork();
  if (agent == 0) {
    const SpawnerKeeper keeper = start_spawner_keeper(watch);
    ::raise(SIGSTOP);
    ::_exit(0);
  }
  int status = 0;
  for (const Deadline deadline = Deadline::after(seconds); ::waitpid(agent, &status, WNOHANG) == 0;) {
    if (deadline.passed()) {
      ::kill(agent, SIGKILL);
      ::waitpid(agent, nullptr, 0);
      return 0;
    }
    ::usleep(5000);
  }
  return status;
}

TEST(SpawnerKeeper, EndsAnAgentThatStandsStill) {
  const int status = end_of_agent(AgentWatch{"rank 7", 0.3}, 30);
  EXPECT_TRUE(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) << status;
  EXPECT_EQ(end_of_agent(std::nullopt, 0.8), 0) << "nobody asked it to";
}

TEST_F(SpawnerTest, AWorkerThatKillsOrStopsItEndsAndTheNextOneServes) {
  for (const char* how : {"KILL", "STOP"}) {
    const auto file = folder_ / how;
    const auto request = worker(
        {"sh", "-c",
         "setsid sleep 300 & echo $! > " + file.string() + "; read -r word <&3; kill -" + how + " $PPID; sleep 300"});
    const StartedWorker started = client_.spawn(request);
    const pid_t left = written_pid(file);
    ASSERT_EQ(::write(started.link.get(), "go\n", 3), 3);
    const auto exit = client_.wait_exit(request.worker, 10);
    EXPECT_EQ(cause_of_death(exit, 0, 0).message,
              "killed by signal 9 (Killed) with its spawner, which was killed or stopped (by the worker itself?)");
    EXPECT_FALSE(alive(left)) << "nothing of the tree outlives the spawner";
    EXPECT_EQ(run({"echo", "again"}).output, "again\n") << how;
  }
}

TEST_F(SpawnerTest, AProgramThatKillsItEndsAsAWorkerDoes) {
  try {
    EXPECT_TRUE(run({"sh", "-c", "kill -KILL $PPID; sleep 300"}).with_spawner);
    EXPECT_FALSE(timed_out_);
  } catch (const WorkerDied& died) {  // it was faster than the spawner's word of its start
    EXPECT_EQ(died.kind, sweep::FailureKind::crashed);
  }
  EXPECT_EQ(run({"echo", "again"}).output, "again\n");
}

TEST_F(SpawnerTest, OneThatEndsWithNothingToDoIsReplacedUnnoticed) {
  for (const int how : {SIGKILL, SIGSTOP}) {
    end_spawner(how);
    EXPECT_EQ(run({"echo", "again"}).output, "again\n");
  }
}

TEST_F(SpawnerTest, OneThatIsStoppedForAMomentGoesOn) {
  const pid_t spawner = children_of(keeper_pid_).front();
  ::kill(spawner, SIGSTOP);
  ::usleep(5'000);
  ::kill(spawner, SIGCONT);
  EXPECT_FALSE(dies_within(spawner, 0.3));
  EXPECT_EQ(run({"echo", "again"}).output, "again\n");
}

TEST_F(SpawnerTest, WithoutItsKeeperThereIsNoNextOne) {
  run({"true"});  // so that it serves: what it does at its start is done
  const pid_t spawner = children_of(keeper_pid_).front();
  ::kill(keeper_pid_, SIGKILL);
  ASSERT_EQ(::waitpid(keeper_pid_, nullptr, 0), keeper_pid_);
  EXPECT_EQ(run({"echo", "still"}).output, "still\n");
  ::kill(spawner, SIGKILL);
  EXPECT_THROW(run({"echo"}), PeerLost);
}

}  // namespace
}  // namespace regatta::launcher
