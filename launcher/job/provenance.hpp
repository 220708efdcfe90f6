// Where results come from: versions, command line, the state of the user's repository.
#pragma once

#include <string>

#include "job/job.hpp"
#include "regatta/results/tables.hpp"

namespace regatta::launcher {

/// Now, ISO 8601, UTC, to the second.
std::string utc_now();

/// Of a session whose command was given at `created`, in the words of utc_now().
results::Provenance make_provenance(const Job& job, const std::string& created, const std::string& mpi_version);

}  // namespace regatta::launcher
