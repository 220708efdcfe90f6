// `regatta doctor`: what works on this machine, and what to do about the rest.
#pragma once

#include <string>
#include <vector>

#include "children/installations.hpp"
#include "host/topology.hpp"

namespace regatta::launcher {

/// One thing looked at.
struct DoctorLine {
  enum class State { ok, degraded, missing };
  std::string what;
  State state = State::ok;
  std::string detail;
  std::string advice;  ///< empty if there is nothing to do
};

/// One installation of an engine, or an engine that has none.
struct EngineFound {
  std::string name;
  std::string environment;
  std::string version;
  std::vector<std::string> modes;
  std::vector<std::string> devices;
  std::string problem;  ///< empty: it works
};

struct DeviceFound {
  std::string kind;        ///< "cpu"
  std::string name;        ///< "cores 0,1"
  std::vector<int> cores;  ///< as the kernel numbers them
};

struct Diagnosis {
  std::vector<EngineFound> engines;
  std::vector<DeviceFound> devices;  ///< the default measuring slots
  std::vector<DoctorLine> lines;
};

/// Looks at everything. `mpi_version` is what the MPI library says of itself, empty without one.
Diagnosis diagnose(const Topology& topology, const EnvironmentPlaces& places, const std::string& mpi_version);

std::string to_text(const Diagnosis& diagnosis);

/// {"engines": [...], "devices": [...], "lines": [...]}
std::string to_json(const Diagnosis& diagnosis);

}  // namespace regatta::launcher
