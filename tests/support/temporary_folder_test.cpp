#include "support/temporary_folder.hpp"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <fstream>
#include <functional>
#include <optional>
#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace regatta::support {
namespace {

namespace fs = std::filesystem;

/// Writes files in a folder, again where they are gone, as long as `goes_on` says so.
class Writer {
 public:
  Writer(const fs::path& folder, std::function<bool()> goes_on)
      : thread_([folder, goes_on = std::move(goes_on)] {
          int i = 0;
          do std::ofstream(folder / std::to_string(++i % 10)) << "words";
          while (goes_on());
        }) {
    while (fs::is_empty(folder)) std::this_thread::yield();
  }
  ~Writer() { thread_.join(); }

 private:
  std::thread thread_;
};

TEST(TemporaryFolder, GoesWithAllThatIsInIt) {
  fs::path path;
  {
    const TemporaryFolder folder;
    path = folder.path();
    EXPECT_TRUE(fs::is_empty(path));
    EXPECT_EQ(folder / "name", path / "name");
    fs::create_directories(folder / "deep" / "deeper");
    std::ofstream(folder / "deep" / "file") << "words";
  }
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsNobodyElses) {
  const TemporaryFolder one;
  const TemporaryFolder other;
  EXPECT_NE(one.path(), other.path());
  EXPECT_EQ(fs::status(one.path()).permissions(), fs::perms::owner_all);
}

TEST(TemporaryFolder, LiesInTheBaseThatIsGiven) {
  const TemporaryFolder base;
  const TemporaryFolder inner(base.path());
  EXPECT_EQ(inner.path().parent_path(), base.path());
  EXPECT_THROW(TemporaryFolder(base / "nowhere"), std::system_error);
}

TEST(TemporaryFolder, IsRemovedWhereSomethingIsWrittenForAMomentMore) {
  std::optional<TemporaryFolder> folder(std::in_place);
  const fs::path path = folder->path();
  const auto end = std::chrono::steady_clock::now() + std::chrono::milliseconds(100);
  const Writer writer(path, [end] { return std::chrono::steady_clock::now() < end; });
  folder.reset();
  EXPECT_FALSE(fs::exists(path));
}

TEST(TemporaryFolder, IsGivenUpWithoutAnExceptionWhereSomethingIsAlwaysWritten) {
  const TemporaryFolder base;  // removes what is left
  std::atomic<bool> goes_on = true;
  {
    std::optional<TemporaryFolder> folder(std::in_place, base.path());
    const Writer writer(folder->path(), [&] { return goes_on.load(); });
    folder.reset();
    goes_on = false;
  }
  SUCCEED() << "an exception of the destructor would have ended the program";
}

}  // namespace
}  // namespace regatta::support
