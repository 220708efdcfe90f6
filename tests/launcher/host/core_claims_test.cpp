#include "host/core_claims.hpp"

#include <gmock/gmock.h>
#include <sys/wait.h>
#include <unistd.h>

#include <functional>
#include <memory>

#include "support/temporary_folder.hpp"

namespace regatta::launcher {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

/// A process that holds a claim until it is told to end.
class Other {
 public:
  Other(const std::filesystem::path& folder, const std::string& run, const std::vector<int>& cores) {
    int ready[2] = {-1, -1};
    EXPECT_EQ(::pipe(ready), 0);
    pid_ = ::fork();
    if (pid_ == 0) {
      const CoreClaim claim(folder, run, cores);
      [[maybe_unused]] const auto told = ::write(ready[1], "x", 1);
      ::pause();
    }
    char byte = 0;
    EXPECT_EQ(::read(ready[0], &byte, 1), 1);
    ::close(ready[0]);
    ::close(ready[1]);
  }
  ~Other() { end(); }
  void end() {
    if (pid_ > 0) ::kill(pid_, SIGKILL), ::waitpid(pid_, nullptr, 0);
    pid_ = -1;
  }
  [[nodiscard]] pid_t pid() const { return pid_; }

 private:
  pid_t pid_ = -1;
};

std::size_t files_in(const std::filesystem::path& folder) {
  return static_cast<std::size_t>(std::distance(std::filesystem::directory_iterator(folder), {}));
}

TEST(CoreClaims, AreThoseOfOtherRunsOnTheSameCores) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "claims";
  const Other same_cores(folder, "/a", {1, 2});
  const Other other_cores(folder, "/b", {2, 3});
  const Other same_run(folder, "/c", {0, 1});
  const CoreClaim own(folder, "/c", {0, 1});
  EXPECT_THAT(own.others(), ElementsAre(OtherClaim{same_cores.pid(), "/a"}));
}

TEST(CoreClaims, NameTheSlotsOfTheirOwnRun) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "claims";
  const Other same_run(folder, "/c", {2, 3});
  const Other other_run(folder, "/a", {0, 1});
  const CoreClaim own(folder, "/c", {0, 1});
  EXPECT_THAT(own.slots_of_run(), ElementsAre(OwnSlot{::getpid(), {0, 1}}, OwnSlot{same_run.pid(), {2, 3}}));
  const CoreClaim without_folder("", "/c", {5});
  EXPECT_THAT(without_folder.slots_of_run(), ElementsAre(OwnSlot{::getpid(), {5}}));
}

TEST(CoreClaims, OfAProcessThatDiedAreRemoved) {
  const support::TemporaryFolder base;
  const std::filesystem::path folder = base / "claims";
  Other other(folder, "/a", {0});
  const CoreClaim own(folder, "/c", {0});
  EXPECT_EQ(own.others().size(), 1U);
  other.end();
  EXPECT_EQ(files_in(folder), 2U);
  EXPECT_THAT(own.others(), IsEmpty());
  EXPECT_EQ(files_in(folder), 1U);
}

TEST(CoreClaims, GoWithTheirScope) {
  const support::TemporaryFolder base;
  { const CoreClaim own(base / "claims", "/c", {0}); }
  EXPECT_EQ(files_in(base / "claims"), 0U);
}

TEST(CoreClaims, WithoutAFolderOfOursAreNone) {
  const support::TemporaryFolder base;
  const CoreClaim nowhere("", "/c", {0});
  EXPECT_THAT(nowhere.others(), IsEmpty());
  std::filesystem::create_directory(base / "open");
  std::filesystem::permissions(base / "open", std::filesystem::perms::all);
  const CoreClaim open(base / "open", "/c", {0});
  EXPECT_EQ(files_in(base / "open"), 0U) << "anybody could write there";
}

TEST(CoreClaims, AreKeptInTheUsersRuntimeFolder) {
  ::setenv("XDG_RUNTIME_DIR", "/run/user/7", 1);
  EXPECT_EQ(claims_folder(), "/run/user/7/regatta");
  ::unsetenv("XDG_RUNTIME_DIR");
  ::setenv("XDG_CACHE_HOME", "/c", 1);
  EXPECT_EQ(claims_folder(), "/c/regatta/running");
  ::unsetenv("XDG_CACHE_HOME");
}

}  // namespace
}  // namespace regatta::launcher
