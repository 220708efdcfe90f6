// Which agents may share memory.
#pragma once

#include <string>

namespace regatta::launcher {

/// Agents that say the same run under one kernel, see each other's processes under /proc, and count as one host for MPI
/// (`mpi_host`) and the batch system. Where one of these disagrees, a wrong guess would have ranks wait for each other
/// for ever, so that all of them must agree.
std::string memory_domain(int mpi_host);

}  // namespace regatta::launcher
