#include "host/topology.hpp"

#include <fmt/format.h>
#include <hwloc.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <memory>
#include <numeric>
#include <utility>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using Handle = std::unique_ptr<hwloc_topology, void (*)(hwloc_topology_t)>;
using CpuSet = std::unique_ptr<hwloc_bitmap_s, void (*)(hwloc_bitmap_t)>;

Handle load() {
  hwloc_topology_t raw = nullptr;
  if (hwloc_topology_init(&raw) != 0) throw InternalError("hwloc_topology_init failed");
  Handle handle(raw, hwloc_topology_destroy);
  if (hwloc_topology_load(raw) != 0)
    throw InternalError("hwloc cannot read the cores of this host (/sys not mounted?)");
  return handle;
}

// Loading has removed what the cgroup forbids; here goes what the user's taskset or the batch system forbids.
CpuSet usable(hwloc_topology_t topology) {
  CpuSet set(hwloc_bitmap_dup(hwloc_topology_get_allowed_cpuset(topology)), hwloc_bitmap_free);
  if (hwloc_topology_is_thissystem(topology) == 0) return set;
  const CpuSet mask(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  const bool pinned_by_mpirun = std::getenv("OMPI_COMM_WORLD_SIZE") != nullptr;
  const pid_t bound = pinned_by_mpirun ? ::getppid() : ::getpid();
  const bool known = hwloc_get_proc_cpubind(topology, bound, mask.get(), 0) == 0;
  if (known && hwloc_bitmap_intersects(set.get(), mask.get())) hwloc_bitmap_and(set.get(), set.get(), mask.get());
  return set;
}

// The first usable hardware thread of each core of `domain`.
MemoryDomain cores_in(hwloc_topology_t topology, hwloc_const_cpuset_t domain, hwloc_const_cpuset_t usable_set) {
  const CpuSet left(hwloc_bitmap_alloc(), hwloc_bitmap_free);
  hwloc_bitmap_and(left.get(), domain, usable_set);
  MemoryDomain cores;
  for (int cpu = hwloc_bitmap_first(left.get()); cpu >= 0; cpu = hwloc_bitmap_next(left.get(), cpu)) {
    cores.push_back(cpu);
    const hwloc_obj_t thread = hwloc_get_pu_obj_by_os_index(topology, static_cast<unsigned>(cpu));
    const hwloc_obj_t core = hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_CORE, thread);
    if (core != nullptr) hwloc_bitmap_andnot(left.get(), left.get(), core->cpuset);
  }
  return cores;
}

// `part` of `parts` of n things, as even as possible.
std::pair<std::size_t, std::size_t> share(std::size_t n, std::size_t part, std::size_t parts) {
  return {n * part / parts, n * (part + 1) / parts};
}

// One rank for each domain, and each further one to where most cores are left for it.
std::vector<std::size_t> ranks_of_domains(const Topology& topology, std::size_t ranks) {
  std::vector<std::size_t> counts(topology.domains.size(), 1);
  const auto cores_for_another = [&](std::size_t domain) {
    return static_cast<double>(topology.domains[domain].size()) / static_cast<double>(counts[domain] + 1);
  };
  std::vector<std::size_t> domains(counts.size());
  std::iota(domains.begin(), domains.end(), 0);
  for (std::size_t rank = counts.size(); rank < ranks; ++rank) {
    ++counts[*std::ranges::max_element(domains, {}, cores_for_another)];
  }
  return counts;
}

Slot share_of_domain(const MemoryDomain& cores, std::size_t rank, std::size_t ranks) {
  Slot slot;
  if (ranks > 1) slot.flags.add(stats::Flag::neighbours);
  if (ranks > cores.size()) {
    slot.cpus = {cores[rank % cores.size()]};
    slot.flags.add(stats::Flag::cores_shared);
    return slot;
  }
  const auto [first, last] = share(cores.size(), rank, ranks);
  for (std::size_t i = first; i < last; ++i) slot.cpus.push_back(cores[i]);
  return slot;
}

std::vector<int> threads_of(hwloc_const_bitmap_t set) {
  std::vector<int> threads;
  for (int cpu = hwloc_bitmap_first(set); cpu >= 0; cpu = hwloc_bitmap_next(set, cpu)) threads.push_back(cpu);
  return threads;
}

/// "0-3,8": ascending numbers as the kernel writes them.
std::string mask_text(std::span<const int> threads) {
  std::string text;
  for (std::size_t first = 0, i = 0; i < threads.size(); ++i) {
    if (i + 1 < threads.size() && threads[i + 1] == threads[i] + 1) continue;
    text += fmt::format("{}{}", text.empty() ? "" : ",", threads[first]);
    if (i > first) text += fmt::format("-{}", threads[i]);
    first = i + 1;
  }
  return text;
}

bool overlap(std::span<const int> a, std::span<const int> b) {
  return std::ranges::any_of(a, [&](int cpu) { return std::ranges::binary_search(b, cpu); });
}

}  // namespace

NodePart part_of_node(std::span<const std::vector<int>> masks, int local_rank) {
  const std::vector<int>& own = masks[static_cast<std::size_t>(local_rank)];
  NodePart part{0, 0};
  for (std::size_t i = 0; i < masks.size(); ++i) {
    if (masks[i] == own) {
      ++part.ranks;
      if (static_cast<int>(i) < local_rank) ++part.place;
    } else if (overlap(masks[i], own)) {
      throw InputError(fmt::format(
          "ranks {} and {} of this node may use cores {} and {}, which overlap in part. Bind each rank to cores of its "
          "own (srun --cpu-bind=cores), or none of them (--cpu-bind=none)",
          std::min<std::size_t>(i, static_cast<std::size_t>(local_rank)),
          std::max<std::size_t>(i, static_cast<std::size_t>(local_rank)),
          mask_text(static_cast<int>(i) < local_rank ? masks[i] : own),
          mask_text(static_cast<int>(i) < local_rank ? own : masks[i])));
    }
  }
  return part;
}

bool shares_domain(const Topology& topology, std::span<const std::vector<int>> masks, int local_rank) {
  const std::vector<int>& own = masks[static_cast<std::size_t>(local_rank)];
  return std::ranges::any_of(masks, [&](const auto& mask) { return mask != own && overlap(mask, topology.threads); });
}

Topology read_topology() {
  const Handle handle = load();
  hwloc_topology_t topology = handle.get();
  const CpuSet usable_set = usable(topology);
  const bool has_caches = hwloc_get_nbobjs_by_type(topology, HWLOC_OBJ_L3CACHE) > 0;
  const hwloc_obj_type_t type = has_caches ? HWLOC_OBJ_L3CACHE : HWLOC_OBJ_NUMANODE;
  Topology found{.domains = {}, .mask = threads_of(usable_set.get())};
  for (hwloc_obj_t domain = nullptr; (domain = hwloc_get_next_obj_by_type(topology, type, domain)) != nullptr;) {
    MemoryDomain cores = cores_in(topology, domain->cpuset, usable_set.get());
    if (cores.empty()) continue;
    found.domains.push_back(std::move(cores));
    const std::vector<int> threads = threads_of(domain->cpuset);
    found.threads.insert(found.threads.end(), threads.begin(), threads.end());
  }
  std::ranges::sort(found.threads);
  if (found.domains.empty()) found.domains.push_back(cores_in(topology, usable_set.get(), usable_set.get()));
  expect(!found.domains.front().empty(), "a process may use at least one core");
  return found;
}

int default_slots(const Topology& topology) { return static_cast<int>(topology.domains.size()); }

std::int64_t cores_of_slot() {
  const Topology topology = read_topology();
  return std::ssize(slot_for(topology, 0, default_slots(topology)).cpus);
}

int training_slots(const Topology& topology, std::int64_t threads) {
  std::int64_t cores = 0;
  for (const MemoryDomain& domain : topology.domains) cores += std::ssize(domain);
  return static_cast<int>(std::max<std::int64_t>(1, cores / std::max<std::int64_t>(1, threads)));
}

Slot slot_for(const Topology& topology, int local_rank, int local_ranks) {
  expect(local_rank >= 0 && local_rank < local_ranks, "a local rank is below the number of local ranks");
  auto rank = static_cast<std::size_t>(local_rank);
  const auto ranks = static_cast<std::size_t>(local_ranks);
  const std::vector<MemoryDomain>& domains = topology.domains;
  if (ranks <= domains.size()) {
    Slot slot;
    const auto [first, last] = share(domains.size(), rank, ranks);
    for (std::size_t i = first; i < last; ++i) slot.cpus.insert(slot.cpus.end(), domains[i].begin(), domains[i].end());
    return slot;
  }
  const std::vector<std::size_t> counts = ranks_of_domains(topology, ranks);
  std::size_t home = 0;
  for (; rank >= counts[home]; ++home) rank -= counts[home];
  return share_of_domain(domains[home], rank, counts[home]);
}

}  // namespace regatta::launcher
