// One launcher works on a result folder at a time.
#pragma once

#include <filesystem>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// Holds DIR/NAME.regatta/lock until it is destroyed or the process dies; creates the folder. Waits up
/// to `wait_seconds` (a killed launcher's job needs a moment to end). Throws InputError naming the owner.
class FolderLock {
 public:
  FolderLock(const std::filesystem::path& folder, double wait_seconds);

 private:
  UniqueFd fd_;
};

}  // namespace regatta::launcher
