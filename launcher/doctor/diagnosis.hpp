// `regatta doctor`: what works on this machine, and what to do about the rest.
#pragma once

#include <string>
#include <vector>

#include "children/installations.hpp"
#include "doctor/findings.hpp"
#include "host/topology.hpp"

namespace regatta::launcher {

struct Diagnosis {
  std::vector<EngineFound> engines;
  std::vector<DeviceFound> devices;  ///< the default measuring slots
  std::vector<DoctorLine> lines;
};

/// Looks at everything. `mpi_version` is what the MPI library says of itself, empty without one.
Diagnosis diagnose(const Topology& topology, const EnvironmentPlaces& places, const std::string& mpi_version);

std::string to_text(const Diagnosis& diagnosis, std::size_t columns);

/// {"engines": [...], "devices": [...], "lines": [...]}
std::string to_json(const Diagnosis& diagnosis);

}  // namespace regatta::launcher
