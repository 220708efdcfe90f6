// One launcher works on a result folder at a time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// How long owners of other hosts are watched. A process of this host is asked for directly.
struct LeaseTimes {
  double beat_seconds = 10;   ///< an owner touches its file so often
  double watch_seconds = 15;  ///< a takeover sees it untouched for so long, by its own clock, whatever file times say
};

/// The owner's file of a folder (regatta/base/lease.hpp), touched until this is destroyed.
class HeldLease;

/// Holds the folder NAME.regatta until it is destroyed or the process dies; creates the folder. The owner's file
/// decides. flock helps where it works: a process that ended has let go at once, also on another host.
class FolderLock {
 public:
  /// Waits up to `wait_seconds` for another owner (a killed launcher's job needs a moment to end), but only a moment
  /// for one that lives on this host. One on another host that gives no sign is waited for until it is sure to be gone.
  /// Throws InputError naming the owner, or saying why nothing can be written there, and StorageError where the disk is
  /// full; then what it created is gone again.
  FolderLock(const std::filesystem::path& folder, double wait_seconds, const LeaseTimes& times = {});
  ~FolderLock();
  FolderLock(FolderLock&&) noexcept;
  FolderLock& operator=(FolderLock&&) noexcept;

  /// Others who write for this owner name it (LeaseFence).
  [[nodiscard]] std::uint64_t epoch() const;

 private:
  UniqueFd fd_;
  std::unique_ptr<HeldLease> lease_;
};

/// "process 12 on node1", "job 4711 (process 12 on node1)" while somebody owns this folder, else "".
std::string folder_owner(const std::filesystem::path& folder);

}  // namespace regatta::launcher
