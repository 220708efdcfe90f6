#include "regatta/results/log_file.hpp"

#include <gmock/gmock.h>

#include "regatta/base/error.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::results {
namespace {

TEST(LogFile, GrowsAndGivesBackWhatWasAppended) {
  const support::TemporaryFolder folder;
  PosixLogFile file(folder / "log");
  file.append("abc");
  file.append("def");
  file.sync();
  EXPECT_EQ(file.size_bytes(), 6U);
  EXPECT_EQ(file.read(2, 3), "cde");
  EXPECT_EQ(file.read(4, 100), "ef");
  EXPECT_EQ(file.read(100, 1), "");
}

TEST(LogFile, AppendsBehindWhatACutLeft) {
  const support::TemporaryFolder folder;
  PosixLogFile file(folder / "log");
  file.append("abcdef");
  file.truncate(2);
  file.append("x");
  EXPECT_EQ(open_for_reading(folder / "log")->read(0, 10), "abx");
}

TEST(LogFile, IsLockedByOneWriter) {
  const support::TemporaryFolder folder;
  EXPECT_FALSE(is_locked(folder / "log"));
  PosixLogFile first(folder / "log");
  EXPECT_FALSE(is_locked(folder / "log"));
  first.lock(1);
  EXPECT_TRUE(is_locked(folder / "log"));
  PosixLogFile second(folder / "log");
  EXPECT_THROW(second.lock(0.02), InputError);
}

TEST(LogFile, MissingFileCannotBeRead) {
  const support::TemporaryFolder folder;
  EXPECT_THROW(open_for_reading(folder / "log"), InputError);
  EXPECT_THROW(PosixLogFile(folder / "gone" / "log"), StorageError);
}

}  // namespace
}  // namespace regatta::results
