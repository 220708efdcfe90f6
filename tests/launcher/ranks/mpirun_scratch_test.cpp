#include "ranks/mpirun_scratch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

namespace fs = std::filesystem;

bool are_there(const ScratchFolders& folders) {
  return fs::is_directory(folders.session) && fs::is_directory(folders.memory);
}

/// A process that makes these folders, and is there until it is killed.
class ScratchJob {
 public:
  explicit ScratchJob(const ScratchFolders& folders) {
    int ready[2];
    expect(::pipe(ready) == 0, "there is a pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      const HeldScratch held(folders);
      const ssize_t written = ::write(ready[1], "r", 1);
      for (;;) ::pause();
      ::_exit(written == 1 ? 0 : 1);
    }
    char word = 0;
    expect(::read(ready[0], &word, 1) == 1, "the job made its folders");
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ScratchJob(const ScratchJob&) = delete;
  ScratchJob& operator=(const ScratchJob&) = delete;
  ~ScratchJob() { kill(); }

  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
};

/// Owners of this test alone.
ScratchFolders folders_of(const std::string& name) {
  return scratch_of(fs::temp_directory_path() / fmt::format("mpirun_scratch_test-{}-{}", ::getpid(), name));
}

TEST(MpirunScratch, IsThereUntilTheJobEnds) {
  const ScratchFolders folders = folders_of("one");
  {
    const HeldScratch held(folders);
    EXPECT_TRUE(are_there(folders));
  }
  EXPECT_FALSE(fs::exists(folders.session));
  EXPECT_FALSE(fs::exists(folders.memory));
}

TEST(MpirunScratch, OfAKilledJobIsTakenAwayByTheNextOneOfAnyOwner) {
  const ScratchFolders killed = folders_of("killed");
  ScratchJob job(killed);
  { const HeldScratch other(folders_of("other")); }
  EXPECT_TRUE(are_there(killed)) << "its job runs";
  job.kill();
  EXPECT_TRUE(are_there(killed));
  { const HeldScratch other(folders_of("other")); }
  EXPECT_FALSE(fs::exists(killed.session));
  EXPECT_FALSE(fs::exists(killed.memory));
}

TEST(MpirunScratch, LeavesAloneWhatItDoesNotKnow) {
  const fs::path without_lock = folders_of("without a lock").session;
  const fs::path longer = without_lock.string() + "-mine";
  for (const fs::path& folder : {without_lock, longer}) fs::create_directory(folder);
  std::ofstream(longer / "held") << "";
  { const HeldScratch other(folders_of("other")); }
  EXPECT_TRUE(fs::exists(without_lock));
  EXPECT_TRUE(fs::exists(longer));
  for (const fs::path& folder : {without_lock, longer}) fs::remove_all(folder);
}

}  // namespace
}  // namespace regatta::launcher
