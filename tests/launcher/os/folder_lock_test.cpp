#include "os/folder_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <chrono>
#include <ctime>
#include <fstream>
#include <string>
#include <thread>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/lease.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

TEST(FolderLock, RefusesASecondOwnerByNameAndIsFreeAgainAfterwards) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  {
    const FolderLock first(folder, 0);
    try {
      const FolderLock second(folder, 0.05);
      FAIL() << "two owners";
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(fmt::format("in use by process {}", ::getpid())), std::string::npos)
          << error.what();
    }
  }
  EXPECT_NO_THROW(FolderLock(folder, 0));
}

TEST(FolderLock, MakesAFolderThatOthersCannotRead) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  const mode_t umask_before = ::umask(0022);
  const FolderLock lock(folder, 0);
  ::umask(umask_before);
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
}

std::string refusal(const std::filesystem::path& folder) {
  try {
    const FolderLock lock(folder, 0);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FolderLock, SaysWhereItCannotWriteAndWhy) {
  EXPECT_EQ(
      refusal("/proc/nowhere.regatta"),
      "cannot write in '/proc/nowhere.regatta': No such file or directory (results go there); change its permissions, "
      "or choose another folder with --out");
  const support::TemporaryFolder folder;
  std::ofstream(folder / "file") << "x";
  EXPECT_EQ(refusal(folder / "file" / "out" / "small.regatta"),
            "cannot write in '" + (folder / "file" / "out" / "small.regatta").string() +
                "': Not a directory (results go there); change its permissions, or choose another folder with --out");
  const std::string too_long(300, 'x');
  EXPECT_NE(refusal(folder / too_long / "small.regatta").find("': File name too long"), std::string::npos);
}

/// The error that another try may not meet: a disk that is full.
std::string lack_of_room(const std::filesystem::path& folder) {
  try {
    const FolderLock lock(folder, 0);
  } catch (const StorageError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(FolderLock, TakesAwayWhatAKilledRunLeftOfItsTrial) {
  const support::TemporaryFolder temporary;
  const std::filesystem::path folder = temporary / "small.regatta";
  { const FolderLock lock(folder, 0); }
  std::ofstream(folder / ".room.tmp") << std::string(1000, 'x');
  { const FolderLock lock(folder, 0); }
  EXPECT_FALSE(std::filesystem::exists(folder / ".room.tmp"));
}

// In a child: a limit on the size of files makes write() fail as a full disk does.
TEST(FolderLock, WithoutRoomMakesNothingAndTouchesNothingThatIsThere) {
  const support::TemporaryFolder folder;
  std::filesystem::create_directory(folder / "old.regatta");
  const pid_t child = ::fork();
  if (child == 0) {
    const rlimit limit{4096, 4096};
    ::setrlimit(RLIMIT_FSIZE, &limit);
    ::signal(SIGXFSZ, SIG_IGN);  // as every command does
    const std::string fresh = lack_of_room(folder / "out" / "deep" / "new.regatta");
    const std::string old = lack_of_room(folder / "old.regatta");
    const bool said =
        fresh.find("File too large") != std::string::npos && old.find("File too large") != std::string::npos;
    ::_exit(said ? 1 : 2);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(WEXITSTATUS(status), 1);
  EXPECT_FALSE(std::filesystem::exists(folder / "out"));
  EXPECT_TRUE(std::filesystem::exists(folder / "old.regatta"));
}

TEST(FolderLock, FollowsNoLinkAndWaitsForNoPipe) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  std::filesystem::create_directory(folder);
  std::filesystem::permissions(folder, std::filesystem::perms::owner_all);
  const std::filesystem::path victim = base / "victim";
  std::ofstream(victim) << "precious";
  std::filesystem::create_symlink(victim, folder / "lock");
  EXPECT_NE(refusal(folder).find("lock' is no regular file"), std::string::npos) << refusal(folder);
  std::string text;
  std::ifstream(victim) >> text;
  EXPECT_EQ(text, "precious");
  std::filesystem::remove(folder / "lock");
  ASSERT_EQ(::mkfifo((folder / "lock").c_str(), 0600), 0);
  EXPECT_NE(refusal(folder).find("lock' is no regular file"), std::string::npos) << refusal(folder);
  EXPECT_EQ(folder_owner(folder), "");
}

TEST(FolderLock, TellsItsOwnerToOthers) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  EXPECT_EQ(folder_owner(folder), "");
  {
    const FolderLock lock(folder, 0);
    EXPECT_NE(folder_owner(folder).find(fmt::format("process {} on ", ::getpid())), std::string::npos)
        << folder_owner(folder);
  }
  EXPECT_EQ(folder_owner(folder), "");
}

/// An owner of another host, with the file that it would have made.
void plant_owner(const std::filesystem::path& folder, std::uint64_t epoch) {
  const std::filesystem::path file = lease_file(folder, epoch);
  std::ofstream(file).flush();
  struct stat info {};
  ASSERT_EQ(::stat(file.c_str(), &info), 0);
  std::ofstream(file) << lease_text({"n7", "other/pid", 12, 99, "4711", ""}, info.st_ino, false);
}

void touch(const std::filesystem::path& file, double seconds_ago) {
  const timespec then{std::time(nullptr) - static_cast<time_t>(seconds_ago), 0};
  const std::array<timespec, 2> times = {then, then};
  ASSERT_EQ(::utimensat(AT_FDCWD, file.c_str(), times.data(), 0), 0);
}

TEST(FolderLock, CountsItsOwnersUp) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  for (std::uint64_t epoch = 1; epoch <= 3; ++epoch) {
    const FolderLock lock(folder, 0);
    EXPECT_EQ(lock.epoch(), epoch);
    EXPECT_FALSE(std::filesystem::exists(lease_file(folder, epoch - 1)));
  }
}

TEST(FolderLock, RefusesWhereAnotherHostGivesASignOfLife) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  { const FolderLock lock(folder, 0); }
  plant_owner(folder, 2);
  std::thread beats([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(300));
    touch(lease_file(folder, 2), 0);
  });
  touch(lease_file(folder, 2), 1000);  // its clock may be far off
  const std::string said = refusal(folder);
  beats.join();
  EXPECT_NE(said.find("in use by job 4711 (process 12 on n7)"), std::string::npos) << said;
}

TEST(FolderLock, TakesOverWhatAnotherHostLeftAndFencesItOff) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  { const FolderLock lock(folder, 0); }
  plant_owner(folder, 2);
  touch(lease_file(folder, 2), 1000);
  LeaseFence sleeper(folder, 2);
  EXPECT_NO_THROW(sleeper.expect_own());
  const FolderLock lock(folder, 0, {.beat_seconds = 10, .watch_seconds = 0.5});
  EXPECT_EQ(lock.epoch(), 3U);
  EXPECT_THROW(sleeper.expect_own(), FencedOff);
  LeaseFence own(folder, 3);
  EXPECT_NO_THROW(own.expect_own());
}

TEST(FolderLock, TouchesItsOwnersFile) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "small.regatta";
  const FolderLock lock(folder, 0, {.beat_seconds = 0.02, .watch_seconds = 15});
  touch(lease_file(folder, 1), 1000);
  const Deadline deadline = Deadline::after(20);
  const auto age_seconds = [&] {
    return wall_seconds() - static_cast<double>(read_lease(folder)->touched_nanoseconds) * 1e-9;
  };
  while (age_seconds() > 100 && !deadline.passed()) std::this_thread::sleep_for(std::chrono::milliseconds(5));
  EXPECT_LT(age_seconds(), 100);
}

}  // namespace
}  // namespace regatta::launcher
