// Where results come from: versions, command line, the state of the user's repository.
#pragma once

#include <string>

#include "job/job.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::launcher {

results::Provenance make_provenance(const Job& job, const std::string& mpi_version);

}  // namespace regatta::launcher
