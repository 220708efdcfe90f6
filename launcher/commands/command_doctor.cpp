#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <memory>

#include "commands/command_line.hpp"
#include "commands/commands.hpp"
#include "doctor/doctor.hpp"
#include "ranks/mpi_link.hpp"
#include "run/outputs.hpp"

namespace regatta::launcher {
namespace {

int doctor(bool json) {
  const Diagnosis diagnosis = diagnose(read_topology(), default_places(), mpi_version());
  fmt::print("{}",
             json ? to_json(diagnosis) : to_text(diagnosis, static_cast<std::size_t>(terminal_options().columns)));
  return 0;
}

}  // namespace

void add_doctor(CommandLine& line) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = add_command(line, "doctor", "Check this machine: what works, and what to do");
  add_json_flag(*command, *json);
  command->callback([&line, json] { line.chosen = [=] { return doctor(*json); }; });
}

}  // namespace regatta::launcher
