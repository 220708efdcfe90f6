#include "folder_lock.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

TEST(FolderLock, RefusesASecondOwnerByNameAndIsFreeAgainAfterwards) {
  char name[] = "/tmp/regatta-test-XXXXXX";
  const std::filesystem::path folder = std::filesystem::path(::mkdtemp(name)) / "small.regatta";
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
  std::filesystem::remove_all(name);
}

TEST(FolderLock, MakesAFolderThatOthersCannotRead) {
  char name[] = "/tmp/regatta-test-XXXXXX";
  const std::filesystem::path folder = std::filesystem::path(::mkdtemp(name)) / "small.regatta";
  const mode_t umask_before = ::umask(0022);
  const FolderLock lock(folder, 0);
  ::umask(umask_before);
  EXPECT_EQ(std::filesystem::status(folder).permissions(), std::filesystem::perms::owner_all);
  std::filesystem::remove_all(name);
}

TEST(FolderLock, SaysWhereItCannotWrite) { EXPECT_THROW(FolderLock("/proc/nowhere.regatta", 0), InputError); }

}  // namespace
}  // namespace regatta::launcher
