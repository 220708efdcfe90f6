#include "os/child_output.hpp"

#include <gtest/gtest.h>
#include <sys/stat.h>

#include <filesystem>

namespace regatta::launcher {
namespace {

TEST(ChildOutput, LogIsTheUsersOwnWhateverTheUmask) {
  char name[] = "/tmp/regatta-test-XXXXXX";
  const std::filesystem::path log = std::filesystem::path(::mkdtemp(name)) / "log";
  const mode_t umask_before = ::umask(0);
  open_log(log.string());
  ::umask(umask_before);
  EXPECT_EQ(std::filesystem::status(log).permissions(), std::filesystem::perms(0600));
  std::filesystem::remove_all(name);
}

}  // namespace
}  // namespace regatta::launcher
