// MPI and Slurm: what starts ranks here.
#pragma once

#include <string>
#include <vector>

#include "doctor/findings.hpp"

namespace regatta::launcher {

/// `mpi_version` is what the MPI library that we are linked with says of itself ("Open MPI v4.1.4"), empty without one.
std::vector<DoctorLine> examine_cluster(const std::string& mpi_version);

}  // namespace regatta::launcher
