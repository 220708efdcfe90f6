// The cores of this host, by memory domain, and how they are split into slots.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regatta/stats/flags.hpp"

namespace regatta::launcher {

/// Cores that share a last-level cache (or, without one, a NUMA node); indices as the kernel numbers
/// them, one hardware thread of each core.
using MemoryDomain = std::vector<int>;

/// The cores that this job may use on this host.
struct Topology {
  std::vector<MemoryDomain> domains;  ///< none empty
  std::vector<int> threads = {};      ///< all hardware threads of these domains, whoever may use them
  std::vector<int> mask = {};         ///< hardware threads that this process may use, in ascending order
};

/// The cores that one agent owns.
struct Slot {
  std::vector<int> cpus;
  stats::Flags flags;  ///< neighbours: it shares a memory domain with another slot; cores_shared
};

/// Reads hwloc: the cores that the cgroup allows, and the mask of this process. mpirun pins its ranks, so
/// for its ranks the mask of mpirun itself counts. Throws InternalError.
Topology read_topology();

/// The part that a rank has in the cores of its mask.
struct NodePart {
  int place = 0;
  int ranks = 1;  ///< how many share the mask
};

/// `masks`: the hardware threads of each rank of a node, by local rank. A mask of its own is a rank's own slot (as
/// batch systems bind tasks), equal ones are shared out. Throws InputError where two overlap in part.
NodePart part_of_node(std::span<const std::vector<int>> masks, int local_rank);

/// Whether a rank with another mask may use cores of this topology's domains.
bool shares_domain(const Topology& topology, std::span<const std::vector<int>> masks, int local_rank);

/// Measuring slots of this host: one for each memory domain, so that slots do not disturb each other.
int default_slots(const Topology& topology);

/// The cores of such a slot, as this process sees the host now.
std::int64_t cores_of_slot();

/// Slots for training, which nothing disturbs: as many as runs of so many threads fit side by side.
int training_slots(const Topology& topology, std::int64_t threads);

/// The slot of rank `local_rank` of `local_ranks` on this host: whole domains as long as there are
/// enough, then shares of a domain (more ranks where there are more cores), then shared cores.
Slot slot_for(const Topology& topology, int local_rank, int local_ranks);

}  // namespace regatta::launcher
