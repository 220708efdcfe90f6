#include <gtest/gtest.h>

#include <fstream>

#include "regatta/base/files.hpp"
#include "support/temporary_folder.hpp"

namespace regatta {
namespace {

namespace fs = std::filesystem;

/// Root may enter and empty any folder: run as an ordinary user, too.
TEST(RemoveTree, TakesFoldersThatAProgramClosed) {
  const support::TemporaryFolder scratch;
  const fs::path tree = scratch / "tree";
  for (const auto* name : {"read-only", "closed", "outer/inner"}) {
    fs::create_directories(tree / name);
    std::ofstream(tree / name / "file") << "text";
    fs::permissions(tree / name / "file", fs::perms::none);
  }
  fs::permissions(tree / "read-only", fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(tree / "closed", fs::perms::none);
  fs::permissions(tree / "outer" / "inner", fs::perms::none);
  fs::permissions(tree / "outer", fs::perms::none);
  fs::permissions(tree, fs::perms::owner_read | fs::perms::owner_exec);
  std::error_code problem;
  remove_tree(tree, problem);
  EXPECT_FALSE(problem) << problem.message();
  EXPECT_FALSE(fs::exists(tree));
}

TEST(RemoveTree, LeavesWhatLinksLeadToAsItIs) {
  const support::TemporaryFolder scratch;
  const fs::path other = scratch / "other";
  fs::create_directories(other);
  std::ofstream(other / "file") << "text";
  fs::permissions(other, fs::perms::owner_read | fs::perms::owner_exec);
  const fs::path tree = scratch / "tree";
  fs::create_directories(tree / "closed");
  fs::create_directory_symlink(other, tree / "closed" / "link");
  fs::permissions(tree / "closed", fs::perms::none);
  std::error_code problem;
  remove_tree(tree, problem);
  EXPECT_FALSE(problem) << problem.message();
  EXPECT_TRUE(fs::exists(other / "file"));
  EXPECT_EQ(fs::status(other).permissions(), fs::perms::owner_read | fs::perms::owner_exec);
  fs::permissions(other, fs::perms::owner_all);
}

TEST(RemoveTree, TakesNothingForRemoved) {
  const support::TemporaryFolder scratch;
  std::error_code problem;
  remove_tree(scratch / "none", problem);
  EXPECT_FALSE(problem);
}

}  // namespace
}  // namespace regatta
