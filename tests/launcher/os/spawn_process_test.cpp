#include "os/spawn_process.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cerrno>
#include <csignal>

#include "os/process_tree.hpp"

namespace regatta::launcher {
namespace {

ChildSpec program(std::vector<std::string> argv) {
  ChildSpec spec;
  spec.argv = std::move(argv);
  return spec;
}

TEST(SpawnProcess, StartsAChildInAGroupOfItsOwn) {
  const ChildStart start =
      spawn_process(program({"sh", "-c", "read pid name state parent group rest < /proc/self/stat; test $group = $$"}));
  ASSERT_GT(start.pid, 0);
  int status = 0;
  ASSERT_EQ(::waitpid(start.pid, &status, 0), start.pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

int end_of(const char* script) {
  const ChildStart start = spawn_process(program({"sh", "-c", script}));
  int status = 0;
  EXPECT_EQ(::waitpid(start.pid, &status, 0), start.pid);
  return status;
}

TEST(SpawnProcess, StartsAChildThatTheSignalToDrainDoesNotEnd) {
  EXPECT_EQ(WEXITSTATUS(end_of("kill -USR1 $$; exit 7")), 7);
  EXPECT_EQ(WEXITSTATUS(end_of("sh -c 'kill -USR1 $$'; exit 7")), 7) << "nor what it starts";
}

TEST(SpawnProcess, StartsAChildThatOtherSignalsEnd) {
  EXPECT_EQ(WTERMSIG(end_of("kill -TERM $$; exit 7")), SIGTERM);
  EXPECT_EQ(WTERMSIG(end_of("kill -USR2 $$; exit 7")), SIGUSR2);
}

TEST(SpawnProcess, StartsAChildInAnotherFolder) {
  ChildSpec spec = program({"sh", "-c", "test $(pwd -P) = /usr"});
  spec.folder = "/usr";
  const ChildStart start = spawn_process(spec);
  int status = 0;
  ASSERT_EQ(::waitpid(start.pid, &status, 0), start.pid);
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(SpawnProcess, SaysThatThereIsNoSuchFolder) {
  ChildSpec spec = program({"true"});
  spec.folder = "/nonexistent";
  EXPECT_EQ(spawn_process(spec).error_number, ENOENT);
}

TEST(SpawnProcess, LeavesNoZombieOfAChildThatCouldNotStart) {
  const ChildStart start = spawn_process(program({"/nonexistent/program"}));
  EXPECT_EQ(start.pid, -1);
  EXPECT_EQ(start.error_number, ENOENT);
  EXPECT_TRUE(own_children().empty());
}

}  // namespace
}  // namespace regatta::launcher
