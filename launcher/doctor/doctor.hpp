// The doctor tells which parts work on this machine, and which conditions spoil measuring.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "children/installations.hpp"
#include "devices/found.hpp"
#include "devices/health.hpp"
#include "doctor/findings.hpp"
#include "host/host.hpp"
#include "host/topology.hpp"

namespace regatta::launcher {

// cluster.cpp: MPI and Slurm: what starts ranks here.

/// `mpi_version` is what the MPI library that we are linked with says of itself ("Open MPI v4.1.4"), empty without one.
std::vector<DoctorLine> examine_cluster(const std::string& mpi_version);

// devices.cpp: Slots and GPUs: what computes here.

/// The default measuring slots, and what of this machine no slot uses. `cores`: how many this job may use.
DoctorLine slots_line(const std::vector<DeviceFound>& slots, std::size_t cores);

/// NVIDIA's GPUs, as kernel and driver tell, and whether an engine uses them.
DoctorLine gpu_line(const MachineFolders& folders, const std::vector<EngineFound>& engines);

/// The native engine's abilities on GPUs: the versions of driver and libraries, or the missing piece and its remedy.
DoctorLine cuda_line(const MachineFolders& folders, const FoundDevices& found);

/// One GPU of the native engine, as its check found it.
DoctorLine device_line(const FoundDevice& device, const DeviceHealth& health);

// diagnosis.cpp: `regatta doctor`: what works on this machine, and what to do about the rest.

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

// engines.cpp: The engines that are installed here, and their versions.

/// Every engine of the capabilities table, asked for its version; then the installations in the user's cache.
std::vector<EngineFound> find_engines(const EnvironmentPlaces& places);

// machine.cpp: The parts of a machine that spoil measuring, or are too small.

/// Memory, swap, shared memory, limits of this process (files, processes, sizes), CPU quota, frequency governor,
/// battery, kinds of cores. `cores`: how many this job may use.
std::vector<DoctorLine> examine_machine(const MachineFolders& folders, std::size_t cores);

}  // namespace regatta::launcher
