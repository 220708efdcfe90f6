// Folders of a job for Open MPI's session files and shared memory segments, which it leaves behind when it is killed.
// They are on this host alone.
#pragma once

#include <array>
#include <filesystem>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

struct ScratchFolders {
  std::filesystem::path session;
  std::filesystem::path memory;
  [[nodiscard]] std::array<std::filesystem::path, 2> all() const { return {session, memory}; }
};

/// Scratch folders of the job that keeps its results in the folder `owner`. They are held until this and every process
/// that inherits its descriptors have ended. Their names cannot be foreseen: in /tmp and /dev/shm another user could
/// have taken them. Making them removes folders that jobs of this user left here and that nobody holds any more.
class HeldScratch {
 public:
  /// Only for who holds the owner's lock. Throws InputError where TMPDIR names no folder, and StorageError where there
  /// is no room.
  explicit HeldScratch(const std::filesystem::path& owner);
  HeldScratch(const HeldScratch&) = delete;
  HeldScratch& operator=(const HeldScratch&) = delete;
  ~HeldScratch();

  [[nodiscard]] const ScratchFolders& folders() const { return folders_; }

 private:
  ScratchFolders folders_;
  std::array<UniqueFd, 2> locks_;
};

/// Takes away what a killed run of this owner left behind. Only for who holds its lock.
void sweep_scratch(const std::filesystem::path& owner);

}  // namespace regatta::launcher
