#include "ranks/mpirun_scratch.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
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
  explicit ScratchJob(const fs::path& owner) {
    int ready[2];
    expect(::pipe(ready) == 0, "there is a pipe");
    pid_ = ::fork();
    if (pid_ == 0) {
      const HeldScratch held(owner);
      const std::string names = held.folders().session.string() + "\n" + held.folders().memory.string() + "\n";
      const ssize_t written = ::write(ready[1], names.data(), names.size());
      for (;;) ::pause();
      ::_exit(written > 0 ? 0 : 1);
    }
    std::string names(1000, ' ');
    const ssize_t got = ::read(ready[0], names.data(), names.size());
    expect(got > 0, "the job made its folders");
    const std::size_t line = names.find('\n');
    folders_ = {names.substr(0, line), names.substr(line + 1, static_cast<std::size_t>(got) - line - 2)};
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ScratchJob(const ScratchJob&) = delete;
  ScratchJob& operator=(const ScratchJob&) = delete;
  ~ScratchJob() { kill(); }

  [[nodiscard]] const ScratchFolders& folders() const { return folders_; }

  void kill() {
    if (pid_ < 0) return;
    ::kill(pid_, SIGKILL);
    ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }

 private:
  pid_t pid_ = -1;
  ScratchFolders folders_;
};

/// Owners of this test alone.
fs::path owner(const std::string& name) {
  return fs::temp_directory_path() / fmt::format("mpirun_scratch_test-{}-{}", ::getpid(), name);
}

TEST(MpirunScratch, IsThereAndPrivateUntilTheJobEnds) {
  ScratchFolders folders;
  {
    const HeldScratch held(owner("one"));
    folders = held.folders();
    EXPECT_TRUE(are_there(folders));
    for (const fs::path& folder : folders.all())
      EXPECT_EQ(fs::status(folder).permissions(), fs::perms::owner_all) << folder;
  }
  EXPECT_FALSE(fs::exists(folders.session));
  EXPECT_FALSE(fs::exists(folders.memory));
}

TEST(MpirunScratch, HasNamesThatNobodyForesees) {
  ScratchFolders folders;
  { folders = HeldScratch(owner("twice")).folders(); }
  const HeldScratch again(owner("twice"));
  EXPECT_NE(again.folders().session, folders.session);
  EXPECT_NE(again.folders().memory, folders.memory);
}

TEST(MpirunScratch, NeitherFollowsNorNeedsWhatOthersPutThere) {
  const HeldScratch first(owner("taken"));
  const std::string known = first.folders().session.string();
  const std::string foreseen = known.substr(0, known.rfind('-'));
  const fs::path victim = owner("victim");
  fs::create_directory(victim);
  fs::create_directory_symlink(victim, foreseen + ".new");
  fs::create_directory_symlink(victim, foreseen + "-123456");
  fs::create_directory(foreseen);
  { EXPECT_TRUE(are_there(HeldScratch(owner("taken")).folders())); }
  sweep_scratch(owner("taken"));
  EXPECT_TRUE(fs::is_empty(victim));
  EXPECT_TRUE(fs::is_symlink(foreseen + "-123456")) << "a link is nothing of ours";
  for (const std::string& name : {foreseen, foreseen + ".new", foreseen + "-123456", victim.string()})
    fs::remove_all(name);
}

TEST(MpirunScratch, OfAKilledJobIsTakenAwayByTheNextOneOfAnyOwner) {
  ScratchJob job(owner("killed"));
  { const HeldScratch other(owner("other")); }
  EXPECT_TRUE(are_there(job.folders())) << "its job runs";
  job.kill();
  EXPECT_TRUE(are_there(job.folders()));
  { const HeldScratch other(owner("other")); }
  EXPECT_FALSE(fs::exists(job.folders().session));
  EXPECT_FALSE(fs::exists(job.folders().memory));
}

TEST(MpirunScratch, OfAKilledRunIsTakenAwayByWhoHoldsItsResults) {
  ScratchJob job(owner("killed"));
  sweep_scratch(owner("another"));
  EXPECT_TRUE(are_there(job.folders()));
  job.kill();
  sweep_scratch(owner("killed"));
  EXPECT_FALSE(fs::exists(job.folders().session));
  EXPECT_FALSE(fs::exists(job.folders().memory));
}

TEST(MpirunScratch, LeavesAloneWhatItDoesNotKnow) {
  std::string name;
  {
    const HeldScratch held(owner("without a lock"));
    name = held.folders().session;
  }
  const fs::path being_made = name;
  const fs::path longer = name + "-mine";
  for (const fs::path& folder : {being_made, longer}) fs::create_directory(folder);
  std::ofstream(longer / "held") << "";
  { const HeldScratch other(owner("other")); }
  EXPECT_TRUE(fs::exists(being_made)) << "another job makes it";
  EXPECT_TRUE(fs::exists(longer));
  for (const fs::path& folder : {being_made, longer}) fs::remove_all(folder);
}

TEST(MpirunScratch, ThatDiedBeforeItsLockIsTakenAwayInTheEnd) {
  std::string name;
  {
    const HeldScratch held(owner("dead"));
    name = held.folders().session;
  }
  fs::create_directory(name);
  fs::last_write_time(name, fs::file_time_type::clock::now() - std::chrono::hours(1));
  { const HeldScratch other(owner("other")); }
  EXPECT_FALSE(fs::exists(name));
}

TEST(MpirunScratch, NamesTheFolderThatHasNoRoom) {
  const char* before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", "/proc", 1);
  std::string message;
  try {
    const HeldScratch held(owner("nowhere"));
  } catch (const StorageError& error) {
    message = error.what();
  }
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  EXPECT_EQ(message.substr(0, message.rfind(':')),
            "MPI needs a folder in '/proc' for its own files; free space, or set TMPDIR to a folder with room");
}

}  // namespace
}  // namespace regatta::launcher
