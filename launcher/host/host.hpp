// This machine and its counts: cores, counters, control groups.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "regatta/results/machine_json.hpp"
#include "regatta/results/orchestration.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::launcher {

// batch_job.cpp: The batch job that this process belongs to.

/// As Slurm's variables tell it; without an id outside a job.
results::BatchJob batch_job();

/// The name that Slurm has for this node; empty outside a job. Several nodes may be one host, as in tests.
std::string batch_node();

// canary.cpp: A fixed piece of work that tells when the core itself has become slower or faster.

/// Seconds of some 10 us of dependent multiplications on core `cpu`: the fastest of three, so that only the core's
/// clock is seen and not who else wants it. The calling thread goes there and comes back. Nothing if it must not run
/// there.
std::optional<double> canary_seconds(int cpu);

/// The usual size of a value: the median of the last ones.
class Usual {
 public:
  /// The median before `value` is added; nothing until there are five.
  std::optional<double> update(double value);

 private:
  std::vector<double> last_;
  std::size_t next_ = 0;
};

// machine_files.cpp: Files by which the kernel tells about this machine.

/// Where the kernel tells about itself.
struct MachineFolders {
  std::filesystem::path proc = "/proc";
  std::filesystem::path sys = "/sys";
  std::filesystem::path shared_memory = "/dev/shm";
};

/// The text of a file of the kernel's; empty if it is not there.
std::string first_line(const std::filesystem::path& file);

/// Sorted; none if the folder is not there.
std::vector<std::filesystem::path> entries(const std::filesystem::path& folder);

// cgroups.cpp: The control groups that a process is in: whose CPU quota it is under, and how often its group was out
// of memory.

/// Folders of the groups that limit the CPU time of `process` ("self", or a pid), from its own up to the root; of
/// version 2 and version 1, as far as they exist. Inside a container the path that the kernel tells may not be there,
/// but the root is the container's own group.
std::vector<std::filesystem::path> cpu_group_folders(const MachineFolders& folders, const std::string& process);

/// How often the kernel has killed a process of the group of `process` for lack of memory; 0 where nothing counts that.
/// Kills elsewhere on the host are other people's.
std::uint64_t oom_kills(const MachineFolders& folders, const std::string& process);

// host_info.cpp: The facts that a result records about the machine it was taken on.

/// This host, as far as hwloc, /proc, /sys and uname tell; what cannot be read stays empty or 0.
results::Host read_host();

/// Reads an agent's first message, results::to_json, back. Throws PeerLost.
results::Host parse_host(const std::string& json);

// memory_domain.cpp: The agents that may share memory.

/// Agents that say the same run under one kernel, see each other's processes under /proc, and count as one host for MPI
/// (`mpi_host`) and the batch system. Where one of these disagrees, a wrong guess would have ranks wait for each other
/// for ever, so that all of them must agree.
std::string memory_domain(int mpi_host);

}  // namespace regatta::launcher
