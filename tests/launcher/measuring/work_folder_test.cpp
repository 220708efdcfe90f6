#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "measuring/measuring.hpp"
#include "regatta/base/error.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using sweep::WorkFolder;

class WorkFolderTest : public testing::Test {
 protected:
  support::TemporaryFolder root_;
};

TEST_F(WorkFolderTest, IsOfOneArmOfOneBlock) {
  const auto run = root_ / "heat.regatta";
  const auto kept = work_folder(WorkFolder::kept, run, hash128("a"), {0});
  EXPECT_EQ(kept.parent_path(), root_ / "heat.trials");
  EXPECT_EQ(work_folder(WorkFolder::removed, run, hash128("a"), {0}).parent_path(), run / "work");
  EXPECT_NE(kept, work_folder(WorkFolder::kept, run, hash128("a"), {1}));
  EXPECT_NE(kept, work_folder(WorkFolder::kept, run, hash128("b"), {0}));
  EXPECT_TRUE(work_folder(WorkFolder::none, run, hash128("a"), {0}).empty());
}

TEST_F(WorkFolderTest, IsWholeWhereTheRunIsNot) {
  EXPECT_TRUE(work_folder(WorkFolder::kept, "results/heat.regatta", hash128("a"), {0}).is_absolute());
}

TEST_F(WorkFolderTest, IsEmptiedWithoutFollowingLinks) {
  std::ofstream(root_ / "outside") << "kept";
  std::filesystem::create_directory(root_ / "w");
  std::filesystem::create_symlink(root_.path(), root_ / "w" / "link");
  std::ofstream(root_ / "w" / "left") << "x";
  make_empty(root_ / "w");
  EXPECT_TRUE(std::filesystem::is_empty(root_ / "w"));
  EXPECT_TRUE(std::filesystem::exists(root_ / "outside"));
}

TEST_F(WorkFolderTest, SaysWhyItCannotBeMade) {
  std::ofstream(root_ / "file") << "x";
  EXPECT_THROW(make_empty(root_ / "file" / "w"), InputError);
}

}  // namespace
}  // namespace regatta::launcher
