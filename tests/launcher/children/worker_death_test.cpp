#include "children/worker_death.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <csignal>
#include <fstream>
#include <string>
#include <vector>

namespace regatta::launcher {
namespace {

using sweep::FailureKind;

// Wait statuses as wait(2) lays them out: a signal in the low bits, an exit status above them.
protocol::Exited with_status(int wait_status) {
  protocol::Exited exit;
  exit.wait_status = wait_status;
  return exit;
}

TEST(WorkerDeath, NamesTheSignal) {
  const Death death = cause_of_death(with_status(SIGSEGV), 0, 0);
  EXPECT_EQ(death.kind, FailureKind::crashed);
  EXPECT_EQ(death.message, "killed by signal 11 (Segmentation fault)");
}

TEST(WorkerDeath, NamesTheExitStatus) {
  EXPECT_EQ(cause_of_death(with_status(3 << 8), 0, 0).message, "exited with status 3");
}

TEST(WorkerDeath, BlamesTheKernelOnlyIfItKilledForMemory) {
  EXPECT_EQ(cause_of_death(with_status(SIGKILL), 0, 0).kind, FailureKind::crashed);
  EXPECT_EQ(cause_of_death(with_status(SIGKILL), 0, 1).kind, FailureKind::out_of_memory);
}

TEST(WorkerDeath, BlamesTheLimitIfTheWorkerStoodAtIt) {
  protocol::Exited exit = with_status(SIGABRT);
  exit.peak_bytes = 95;
  EXPECT_EQ(cause_of_death(exit, 100, 0).kind, FailureKind::out_of_memory);
  EXPECT_EQ(cause_of_death(exit, 200, 0).kind, FailureKind::crashed);
}

TEST(WorkerDeath, SaysWhenItPrintedTooMuch) {
  protocol::Exited exit = with_status(SIGKILL);
  exit.flooded = true;
  EXPECT_EQ(cause_of_death(exit, 0, 0).kind, FailureKind::flooded);
}

TEST(ModuleInTheWay, IsOneBesideTheScriptWithANameThatIsTaken) {
  char name[] = "/tmp/regatta-test-XXXXXX";
  const std::filesystem::path folder = ::mkdtemp(name);
  const std::vector<std::string> argv = {"python3", "-u", folder / "loop.py", "--epochs", "3"};
  EXPECT_EQ(module_in_the_way(argv), "");
  std::ofstream(folder / "token.py") << "x = 1\n";
  std::ofstream(folder / "helpers.py") << "x = 1\n";
  EXPECT_EQ(module_in_the_way(argv), "token.py");
  EXPECT_EQ(module_in_the_way({"./a_program", "x"}), "");
  std::filesystem::remove_all(folder);
}

TEST(LogTail, IsTheLastWholeLinesInPrintableCharacters) {
  char name[] = "/tmp/regatta-test-XXXXXX";
  const int fd = ::mkstemp(name);
  ::close(fd);
  std::ofstream(name) << std::string(5000, 'x') << "\nlast \x1b[31mred\xff\nwords\n\n";
  EXPECT_EQ(log_tail(name), "last \uFFFD[31mred\uFFFD\nwords");
  ::unlink(name);
  EXPECT_EQ(log_tail("/nonexistent"), "");
}

TEST(LastWords, AreTheLastLinesOfAnOutput) {
  EXPECT_EQ(last_words("first\nlast \u2018\x1b[31m\u2019\n \n"), "first\nlast \u2018\uFFFD[31m\u2019");
  EXPECT_EQ(last_words(std::string(600, 'x') + "\n" + std::string(599, 'y')), std::string(599, 'y'));
  EXPECT_EQ(last_words("1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n"), "3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14");
  EXPECT_EQ(last_words(""), "");
}

}  // namespace
}  // namespace regatta::launcher
