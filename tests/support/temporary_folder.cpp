#include "support/temporary_folder.hpp"

#include <stdlib.h>

#include <cerrno>
#include <chrono>
#include <string>
#include <system_error>
#include <thread>

namespace regatta::support {
namespace {

constexpr int removals = 20;
constexpr std::chrono::milliseconds between_removals(25);

}  // namespace

TemporaryFolder::TemporaryFolder() : TemporaryFolder(std::filesystem::temp_directory_path()) {}

TemporaryFolder::TemporaryFolder(const std::filesystem::path& base) {
  std::string name = (base / "regatta-test-XXXXXX").string();
  if (::mkdtemp(name.data()) == nullptr)
    throw std::system_error(errno, std::generic_category(), "cannot create a folder for the test in " + base.string());
  path_ = name;
}

TemporaryFolder::~TemporaryFolder() {
  for (int removal = 0; removal < removals; ++removal) {
    if (removal > 0) std::this_thread::sleep_for(between_removals);
    std::error_code problem;
    std::filesystem::remove_all(path_, problem);
    if (!problem) return;
  }
}

}  // namespace regatta::support
