#include "topology.hpp"

#include <hwloc.h>

#include <algorithm>
#include <cstddef>
#include <memory>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using Handle = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;

Handle load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw InternalError("hwloc_topology_init failed");
  Handle handle(raw, hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0) throw InternalError("hwloc cannot read the cores of this host (/sys not mounted?)");
  return handle;
}

// First hardware thread of each core inside `set`.
MemoryDomain cores_in(hwloc_topology_t topology, hwloc_const_cpuset_t set) {
  MemoryDomain cores;
  for (hwloc_obj_t core = nullptr; (core = hwloc_get_next_obj_inside_cpuset_by_type(topology, set, HWLOC_OBJ_CORE, core)) != nullptr;) {
    cores.push_back(hwloc_bitmap_first(core->cpuset));
  }
  if (cores.empty()) {  // some virtual machines tell no cores
    for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) cores.push_back(cpu);
  }
  return cores;
}

// `part` of `parts` of n things, as even as possible.
std::pair<std::size_t, std::size_t> share(std::size_t n, std::size_t part, std::size_t parts) {
  return {n * part / parts, n * (part + 1) / parts};
}

}  // namespace

Topology read_topology() {
  const Handle handle = load();
  hwloc_topology_t topology = handle.get();
  const hwloc_obj_type_t type = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0 ? HWLOC_OBJ_L3CACHE : HWLOC_OBJ_NUMANODE;
  Topology found;
  for (hwloc_obj_t domain = nullptr; (domain = hwloc_get_next_obj_by_type(topology, type, domain)) != nullptr;) {
    MemoryDomain cores = cores_in(topology, domain->cpuset);
    if (!cores.empty()) found.domains.push_back(std::move(cores));
  }
  if (found.domains.empty()) found.domains.push_back(cores_in(topology, hwloc_get_root_obj(topology)->cpuset));
  return found;
}

int default_slots(const Topology& topology) { return static_cast<int>(topology.domains.size()); }

Slot slot_for(const Topology& topology, int local_rank, int local_ranks) {
  expect(local_rank >= 0 && local_rank < local_ranks, "a local rank is below the number of local ranks");
  const auto rank = static_cast<std::size_t>(local_rank);
  const auto ranks = static_cast<std::size_t>(local_ranks);
  const std::size_t domains = topology.domains.size();
  Slot slot;
  if (ranks <= domains) {
    const auto [first, last] = share(domains, rank, ranks);
    for (std::size_t i = first; i < last; ++i) slot.cpus.insert(slot.cpus.end(), topology.domains[i].begin(), topology.domains[i].end());
    return slot;
  }
  const std::size_t home = rank * domains / ranks;
  const auto in_domain = [&](std::size_t r) { return r * domains / ranks == home; };
  std::size_t before = 0;
  std::size_t beside = 0;
  for (std::size_t r = 0; r < ranks; ++r) {
    before += in_domain(r) && r < rank;
    beside += in_domain(r);
  }
  const MemoryDomain& cores = topology.domains[home];
  if (beside > 1) slot.flags.emplace_back("neighbours");
  if (beside > cores.size()) {
    slot.cpus = {cores[before % cores.size()]};
    slot.flags.emplace_back("cores_shared");
    return slot;
  }
  const auto [first, last] = share(cores.size(), before, beside);
  slot.cpus.assign(cores.begin() + static_cast<std::ptrdiff_t>(first), cores.begin() + static_cast<std::ptrdiff_t>(last));
  return slot;
}

}  // namespace regatta::launcher
