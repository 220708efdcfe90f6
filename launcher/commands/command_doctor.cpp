#include <fmt/format.h>

#include "commands/commands.hpp"
#include "doctor/diagnosis.hpp"
#include "ranks/mpi_link.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {

int doctor(bool json) {
  const Diagnosis diagnosis = diagnose(read_topology(), default_places(), mpi_version());
  fmt::print("{}",
             json ? to_json(diagnosis) : to_text(diagnosis, static_cast<std::size_t>(terminal_options().columns)));
  return 0;
}

}  // namespace regatta::launcher
