// The owner of a run's folder, on file systems whose locks may not reach other hosts, or that have none.
//
// The folder holds one file `owner.N` for each owner that it had, and in rest only the last one's. N is the owner's
// epoch: who creates the file with the next number, which only one can, owns the folder from then on, and removes the
// files before it. The owner touches its file every few seconds. It looks whether the file is still there before it
// writes anything else: where somebody took over, it stops.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "regatta/base/error.hpp"

namespace regatta {

/// A process that owns a folder, or wants to.
struct LeaseOwner {
  std::string host;
  std::string system;  ///< boot and process namespace: process ids mean the same where both are equal
  pid_t pid = 0;
  std::uint64_t started = 0;  ///< clock ticks from the boot to its start: another process may get the same id later
  std::string job;            ///< the batch system's number; empty: none
  std::string life;           ///< how often that job was put back into its queue before
};

/// "process 12 on node1", "job 4711 (process 12 on node1)".
std::string to_string(const LeaseOwner& owner);

/// This process, and the job that it runs in.
LeaseOwner this_owner();

/// The last owner of a folder, as its file says.
struct LeaseRecord {
  std::uint64_t epoch = 0;
  LeaseOwner owner;
  bool released = false;                 ///< it has let go of the folder, or the file is a copy of its
  std::int64_t touched_nanoseconds = 0;  ///< by the file system's clock
};

/// Nothing where nobody owned the folder yet.
std::optional<LeaseRecord> read_lease(const std::filesystem::path& folder);

enum class OwnerState { ended, living, unknown };

/// The state of an owner as this host can tell it: its own processes, and earlier lives of the asker's job, which are
/// over. Only a touched file shows whether the others live.
OwnerState state_of(const LeaseRecord& record, const LeaseOwner& asker);

/// An owner whose file was not touched for so long has most likely ended.
inline constexpr double lease_stale_seconds = 60;

/// The owner of the folder now, as far as anybody can tell at once: one on another host whose file is older than
/// `lease_stale_seconds` does not.
std::optional<LeaseOwner> lease_owner(const std::filesystem::path& folder);

/// Another run has taken over the folder.
struct FencedOff : InputError {
  using InputError::InputError;
};

/// Asks whether an epoch still owns its folder, as often as that is worth it.
class LeaseFence {
 public:
  LeaseFence(std::filesystem::path folder, std::uint64_t epoch);

  /// To be called before each write. Looks at the file (one stat) if the last look was longer ago than a takeover could
  /// go unseen. Throws FencedOff with the new owner's name.
  void expect_own();

  [[nodiscard]] std::uint64_t epoch() const { return epoch_; }

 private:
  std::filesystem::path folder_;
  std::uint64_t epoch_;
  std::filesystem::path file_;
  std::uint64_t inode_ = 0;
  double looked_seconds_ = 0;
};

/// The file of an epoch's owner.
std::filesystem::path lease_file(const std::filesystem::path& folder, std::uint64_t epoch);

/// The text of such a file. `inode`: its own, so that a copied folder is nobody's.
std::string lease_text(const LeaseOwner& owner, std::uint64_t inode, bool released);

}  // namespace regatta
