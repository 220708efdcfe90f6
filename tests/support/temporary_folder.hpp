// A folder of its own for each test, removed afterwards.
#pragma once

#include <filesystem>

namespace regatta::support {

/// It begins empty and goes with all that is in it. A fixture declares it before the members that own processes: they
/// are destroyed first, so that nobody writes there any more when it is removed.
class TemporaryFolder {
 public:
  TemporaryFolder();
  /// Lies in `base`.
  explicit TemporaryFolder(const std::filesystem::path& base);
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  /// Tries for half a second where something is still written in it, and leaves it then: an exception would end the
  /// program, and with it all the tests that are still to run.
  ~TemporaryFolder();

  [[nodiscard]] std::filesystem::path operator/(const std::filesystem::path& name) const { return path_ / name; }
  [[nodiscard]] const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

}  // namespace regatta::support
