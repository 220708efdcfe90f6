// One launcher works on a result folder at a time.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// Holds DIR/NAME.regatta/lock until it is destroyed or the process dies; creates the folder.
class FolderLock {
 public:
  /// Waits up to `wait_seconds` for another owner (a killed launcher's job needs a moment to end), but only a moment
  /// for one that lives on this host. Throws InputError naming the owner, or saying why nothing can be written there,
  /// and StorageError where the disk is full; then what it created is gone again.
  FolderLock(const std::filesystem::path& folder, double wait_seconds);

 private:
  UniqueFd fd_;
};

/// "process 12 on node1" while somebody holds the lock of this folder, else "".
std::string lock_owner(const std::filesystem::path& folder);

}  // namespace regatta::launcher
