// Cores that this user's runs measure on now: two that measure at once on the same ones disturb each other, and say so.
#pragma once

#include <sys/types.h>

#include <filesystem>
#include <string>
#include <vector>

#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

/// Where runs of this user tell each other: in XDG_RUNTIME_DIR, or without one in the user's cache folder; empty if
/// there is neither.
std::filesystem::path claims_folder();

/// A process that measures on some of the same cores, for another run.
struct OtherClaim {
  int pid = 0;
  std::string run;
  bool operator==(const OtherClaim&) const = default;
};

/// An agent of a run and the cores that it measures on.
struct OwnSlot {
  pid_t agent = 0;
  std::vector<int> cpus;
  bool operator==(const OwnSlot&) const = default;
};

/// A file in the folder, locked until this is destroyed or the process dies: whose lock is gone counts no more.
class CoreClaim {
 public:
  /// Claims `cores` for `run`, the folder of its results. A claim that cannot be written is none.
  CoreClaim(std::filesystem::path folder, std::string run, std::vector<int> cores);
  ~CoreClaim();
  CoreClaim(const CoreClaim&) = delete;
  CoreClaim& operator=(const CoreClaim&) = delete;

  /// Claims of this host for other runs with one of these cores; removes those of processes that have died.
  [[nodiscard]] std::vector<OtherClaim> others() const;

  /// The slots of this run on this host, this one first. Without a folder that tells of others it is this one alone.
  [[nodiscard]] std::vector<OwnSlot> slots_of_run() const;

  /// Whether there are others; looks at most once a second, and so may be asked before each slice.
  [[nodiscard]] bool is_shared();

 private:
  std::filesystem::path folder_;
  std::filesystem::path file_;  ///< empty: nothing was written
  std::string run_;
  std::vector<int> cores_;
  UniqueFd fd_;
  double looked_seconds_ = -1;
  bool is_shared_ = false;
};

}  // namespace regatta::launcher
