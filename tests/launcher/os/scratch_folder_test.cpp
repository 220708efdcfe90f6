#include "os/scratch_folder.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <fstream>

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

}  // namespace
}  // namespace regatta::launcher
