#include "regatta/base/own_paths.hpp"

#include <gtest/gtest.h>
#include <sys/utsname.h>

#include <cstdlib>
#include <filesystem>
#include <optional>
#include <string>

#include "regatta/base/version.hpp"
#include "support/temporary_folder.hpp"

namespace regatta {
namespace {

/// Puts a variable back at the end.
class Variable {
 public:
  explicit Variable(const char* name) : name_(name) {
    if (const char* value = ::getenv(name)) before_ = value;
  }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;
  ~Variable() { before_ ? ::setenv(name_, before_->c_str(), 1) : ::unsetenv(name_); }

 private:
  const char* name_;
  std::optional<std::string> before_;
};

TEST(HostName, IsThatOfTheKernel) {
  utsname found{};
  ASSERT_EQ(::uname(&found), 0);
  EXPECT_EQ(host_name(), found.nodename);
}

TEST(PluginFile, IsNamedAfterItsDevice) { EXPECT_EQ(plugin_file("/x/bin", "cuda"), "/x/bin/libregatta_cuda.so"); }

TEST(RunningBuild, IsToldByVersionSizeAndDate) {
  const auto bytes = std::filesystem::file_size("/proc/self/exe");
  EXPECT_TRUE(running_build().starts_with(regatta_version() + " " + std::to_string(bytes) + " ")) << running_build();
  EXPECT_EQ(running_build(), running_build());
}

TEST(UserCacheFolder, FollowsTheEnvironment) {
  const Variable cache("XDG_CACHE_HOME");
  const Variable home("HOME");
  ::setenv("XDG_CACHE_HOME", "/x/cache", 1);
  EXPECT_EQ(user_cache_folder(), "/x/cache/regatta");
  ::setenv("XDG_CACHE_HOME", "relative", 1);
  ::setenv("HOME", "/x/someone", 1);
  EXPECT_EQ(user_cache_folder(), "/x/someone/.cache/regatta");
  ::unsetenv("XDG_CACHE_HOME");
  ::unsetenv("HOME");
  EXPECT_EQ(user_cache_folder(), "");
}

TEST(OwnPaths, RelativeTemporaryFoldersBecomeAbsolute) {
  const support::TemporaryFolder scratch;
  const std::filesystem::path before = std::filesystem::current_path();
  std::filesystem::create_directory(scratch / "tmp");
  std::filesystem::current_path(scratch.path());
  const Variable given("TMPDIR");
  const Variable no_folder("TEMP");
  ::setenv("TMPDIR", "tmp", 1);
  ::setenv("TEMP", "none", 1);
  make_temporary_folders_absolute();
  std::filesystem::current_path(before);
  EXPECT_EQ(std::filesystem::path(std::getenv("TMPDIR")), std::filesystem::canonical(scratch / "tmp"));
  EXPECT_STREQ(std::getenv("TEMP"), "none") << "whoever needs it says so";
}

}  // namespace
}  // namespace regatta
