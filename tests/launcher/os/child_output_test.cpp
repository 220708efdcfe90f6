#include "os/child_output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>

#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

TEST(ChildOutput, LogIsTheUsersOwnWhateverTheUmask) {
  const support::TemporaryFolder folder;
  const std::filesystem::path log = folder / "log";
  const mode_t umask_before = ::umask(0);
  open_log(log.string());
  ::umask(umask_before);
  EXPECT_EQ(std::filesystem::status(log).permissions(), std::filesystem::perms(0600));
}

TEST(ChildOutput, MakesALogWithTheFirstWords) {
  const support::TemporaryFolder folder;
  const std::filesystem::path log = folder / "log";
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, log.string());
  EXPECT_TRUE(drain(output));
  EXPECT_FALSE(std::filesystem::exists(log));
  for (const char* words : {"first ", "second"}) {
    ASSERT_GT(::write(writing_end.get(), words, std::strlen(words)), 0);
    EXPECT_TRUE(drain(output));
  }
  EXPECT_EQ(read_file(log), "first second");
}

TEST(ChildOutput, IsReadOnWhereItsLogCannotBeMade) {
  UniqueFd writing_end;
  ChildOutput output = make_output(writing_end, "/nowhere/log");
  ASSERT_GT(::write(writing_end.get(), "words", 5), 0);
  writing_end.reset();
  EXPECT_FALSE(drain(output));
  EXPECT_EQ(output.bytes, 5U);
}

}  // namespace
}  // namespace regatta::launcher
