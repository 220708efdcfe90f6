#include <gtest/gtest.h>

#include "job/job.hpp"
#include "launcher/host/machine_tree.hpp"

namespace regatta::launcher {
namespace {

TEST(CacheFile, ComesBackAndIsReadOnlyWhereItIsThere) {
  const MachineTree files;
  const std::filesystem::path file = files.path("cache/new/values.json");
  nlohmann::json seen;
  const auto read = [&](const nlohmann::json& document) { seen = document; };
  EXPECT_FALSE(read_cache_file(file, "nothing is lost", read));
  write_cache_file(file, {{"values", {1, 2}}});
  EXPECT_TRUE(read_cache_file(file, "nothing is lost", read));
  EXPECT_EQ(seen, nlohmann::json({{"values", {1, 2}}}));
}

}  // namespace
}  // namespace regatta::launcher
