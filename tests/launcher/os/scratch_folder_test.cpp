#include "os/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>
#include <string>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

TEST(ScratchFolder, GoesWithItsScopeAndAllThatIsInIt) {
  std::filesystem::path path;
  {
    const ScratchFolder scratch("test");
    path = scratch.path;
    std::ofstream(path / "file") << "x";
    EXPECT_TRUE(path.filename().string().starts_with("regatta-test-"));
    EXPECT_EQ(std::filesystem::status(path).permissions(), std::filesystem::perms::owner_all);
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

/// The error where TMPDIR is this.
std::string refusal(const char* folder) {
  const char* before = ::getenv("TMPDIR");
  const std::string kept = before == nullptr ? "" : before;
  ::setenv("TMPDIR", folder, 1);
  std::string message = "none";
  try {
    temporary_folder();
  } catch (const InputError& error) {
    message = error.what();
  }
  before == nullptr ? ::unsetenv("TMPDIR") : ::setenv("TMPDIR", kept.c_str(), 1);
  return message;
}

TEST(TemporaryFolder, IsNamedWhereItLeadsNowhere) {
  EXPECT_EQ(refusal("/nothere"),
            "TMPDIR is '/nothere', which is no folder (temporary files go there); correct or unset it");
  EXPECT_EQ(refusal("/"), "none");
  EXPECT_FALSE(temporary_folder().empty());
}

}  // namespace
}  // namespace regatta::launcher
