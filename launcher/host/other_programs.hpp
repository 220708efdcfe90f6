// How much of a slot's cores other programs take, and which program takes most: from two readings of /proc.
#pragma once

#include <sys/types.h>

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "host/core_claims.hpp"
#include "host/host.hpp"
#include "host/proc_counters.hpp"

namespace regatta::launcher {

/// Slots that share cores, as one: which of their agents used such a core cannot be told apart.
struct SlotGroup {
  std::vector<pid_t> agents;  ///< sorted
  std::vector<int> cpus;      ///< sorted
  bool operator==(const SlotGroup&) const = default;
};

std::vector<SlotGroup> groups_of(const std::vector<OwnSlot>& slots);

/// One line of /proc/PID/stat.
struct ProcessTimes {
  std::string name;          ///< the program's, at most 15 bytes
  double seconds = 0;        ///< CPU time, all threads
  double ended_seconds = 0;  ///< CPU time of children that have ended and were waited for
  int cpu = -1;              ///< the CPU that it ran on last
};

/// Nothing if the process has ended.
std::optional<ProcessTimes> process_times(const MachineFolders& folders, pid_t process);

/// All processes that can be seen from here, without `own`.
std::map<pid_t, ProcessTimes> other_processes(const MachineFolders& folders, const std::set<pid_t>& own);

/// The reading of a group of slots at one moment.
struct SlotReading {
  double at_seconds = 0;               ///< steady clock
  std::optional<double> busy_seconds;  ///< time that anybody ran on these cores, since boot
  double own_seconds = 0;              ///< time that its agents and everything they ever started ran
};

/// `counters` are of the group's cores, `own` the group's agents and all their descendants.
SlotReading slot_reading(const MachineFolders& folders, const Counters& counters, const std::set<pid_t>& own);

/// The share of the cores' time that others took, 0 to 1. Nothing where the kernel does not tell, or where too little
/// time passed for ticks of 10 ms to tell anything.
std::optional<double> share_of_others(const SlotReading& before, const SlotReading& after, std::size_t cpus);

/// The name of the program that took most CPU time on these cores between two listings, all its processes together.
/// Empty if the programs that can be seen took less than a tenth of `others_seconds`: then somebody else did.
std::string worst_program(const std::map<pid_t, ProcessTimes>& before, const std::map<pid_t, ProcessTimes>& after,
                          const std::vector<int>& cpus, double others_seconds);

/// The use of this run's cores by other programs.
struct OthersUse {
  double share = 0;   ///< 0 to 1, in the slot that they take most of
  std::string worst;  ///< program; empty: not visible from here
  bool operator==(const OthersUse&) const = default;
};

/// Whether it is worth a sentence.
bool is_busy(const OthersUse& use);

/// "Other programs use 71 % of the cores that this run measures on (most: cc1plus). ..."
std::string busy_sentence(const OthersUse& use);

/// "other programs use 71 % of these cores (most: cc1plus)", for a line that tells more.
std::string busy_clause(const OthersUse& use);

}  // namespace regatta::launcher
