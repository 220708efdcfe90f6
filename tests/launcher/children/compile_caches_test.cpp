#include "children/compile_caches.hpp"

#include <gtest/gtest.h>

#include "regatta/base/digest.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

namespace fs = std::filesystem;

class CompileCachesTest : public testing::Test {
 protected:
  support::TemporaryFolder folder_;
};

TEST_F(CompileCachesTest, LieInTheFolderOfTheRun) {
  const std::string inside = (folder_ / "cache").string() + "/";
  for (const auto& [name, value] : CompileCaches(folder_.path()).variables()) {
    const bool is_limit = value == "0";
    EXPECT_TRUE(is_limit || value.find(inside) != std::string::npos) << name << " " << value;
  }
  EXPECT_FALSE(fs::exists(folder_ / "cache")) << "it is made by who fills it";
}

TEST_F(CompileCachesTest, AreWarmForATrialOnceAProcessOfItHasFilledThem) {
  const CompileCaches caches(folder_.path());
  EXPECT_FALSE(caches.are_warm(hash128("a")));
  caches.note_filled(hash128("a"));
  EXPECT_TRUE(CompileCaches(folder_.path()).are_warm(hash128("a"))) << "for the next session, too";
  EXPECT_FALSE(caches.are_warm(hash128("b")));
  caches.remove();
  EXPECT_FALSE(caches.are_warm(hash128("a")));
  EXPECT_FALSE(fs::exists(folder_ / "cache"));
}

TEST(KeepsCompiled, IsTrueOfFrameworksThatCompile) {
  for (const char* engine : {"torch", "tensorflow", "jax"}) EXPECT_TRUE(keeps_compiled(engine)) << engine;
  for (const char* engine : {"native", "numpy", "command", "nobody"}) EXPECT_FALSE(keeps_compiled(engine)) << engine;
}

}  // namespace
}  // namespace regatta::launcher
