#include <fmt/format.h>

#include <cstdlib>

#include "doctor/doctor.hpp"
#include "os/ask_program.hpp"

namespace regatta::launcher {
namespace {

using State = DoctorLine::State;

constexpr double answer_seconds = 10;  // a controller that is down lets its clients wait

/// "4.1.4" of "Open MPI v4.1.4" or "mpirun (Open MPI) 4.1.4": the first word that begins with a digit.
std::string version_in(const std::string& text) {
  for (std::size_t at = text.find_first_of("0123456789"); at != std::string::npos;
       at = text.find_first_of("0123456789", at + 1)) {
    const bool begins = at == 0 || text[at - 1] == ' ' || text[at - 1] == 'v';
    if (begins) return text.substr(at, text.find_first_not_of("0123456789.", at) - at);
  }
  return {};
}

DoctorLine mpi_line(const std::string& linked) {
  if (linked.empty() || !find_program("mpirun")) {
    return {"MPI", State::missing, "no mpirun in PATH", "apt-get install openmpi-bin, or load your site's MPI module"};
  }
  const std::string library = linked.substr(0, linked.find(','));
  const auto answer = output_of({"mpirun", "--version"}, {}, answer_seconds);
  if (!answer) {
    return {"MPI", State::degraded, library + ", but mpirun does not tell its version (it may not start ranks)",
            "run `mpirun --version` by hand to see why"};
  }
  const std::string program = version_in(answer->substr(0, answer->find('\n')));
  if (program.empty() || program == version_in(library)) return {"MPI", State::ok, library, ""};
  return {"MPI", State::degraded,
          fmt::format("{}, but the mpirun in PATH is {} (each rank may come up alone)", library, program),
          "put the mpirun of that version first in PATH, or build Regatta with this one"};
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

DoctorLine slurm_line() {
  if (!find_program("sinfo")) {
    return {"Slurm", State::missing, "no sinfo in PATH", "needed only on a cluster that Slurm schedules"};
  }
  if (const std::string job = variable("SLURM_JOB_ID"); !job.empty()) {
    const std::string nodes = variable("SLURM_JOB_NUM_NODES");
    return {"Slurm", State::ok, fmt::format("inside job {}, nodes: {}", job, nodes.empty() ? "not told" : nodes), ""};
  }
  if (const auto answer = output_of({"sinfo", "--noheader", "--format=%D"}, {}, answer_seconds)) {
    const std::string nodes = answer->substr(0, answer->find_first_of(" \n"));
    return {"Slurm", State::ok, fmt::format("the controller answers; nodes of a partition: {}", nodes), ""};
  }
  return {"Slurm", State::degraded, "sinfo is in PATH, but no controller answers (no job can be submitted)",
          "run `sinfo` by hand to see why; sweeps on this machine do not need it"};
}

}  // namespace

std::vector<DoctorLine> examine_cluster(const std::string& mpi_version) {
  return {mpi_line(mpi_version), slurm_line()};
}

}  // namespace regatta::launcher
