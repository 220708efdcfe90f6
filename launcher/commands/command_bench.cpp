#include <CLI/CLI.hpp>
#include <memory>

#include "bench/bench.hpp"
#include "commands/command_line.hpp"
#include "commands/commands.hpp"

namespace regatta::launcher {
namespace {

constexpr int most_bench_ranks = 1024;

}  // namespace

void add_bench(CommandLine& line) {
  auto options = std::make_shared<BenchOptions>();
  auto json = std::make_shared<bool>(false);
  CLI::App* command = add_command(line, "bench", "Cost of orchestrating itself on this machine");
  auto* ranks = command->add_option("--ranks", options->ranks, "MPI ranks (default: 2, and 3 to start and to idle)")
                    ->check(CLI::Range(1, most_bench_ranks))
                    ->type_name("N");
  command->add_flag("--quick", options->quick, "One short round: whether it works, not how fast");
  auto* allreduce =
      command->add_flag("--allreduce", options->allreduce, "How fast ranks on this host sum gradients, instead");
  command->add_flag("--nodes", options->nodes, "Under mpirun or srun: what passes between its nodes, instead")
      ->excludes(ranks)
      ->excludes(allreduce)
      ->option_text(" ");
  add_json_flag(*command, *json);
  command->footer(
      "Runs sweeps of trials that do nothing in a folder of its own, and parts of\nRegatta alone; takes a minute or "
      "two of a machine that does nothing else.\ndocs/reference/bench.md explains each figure.");
  command->callback([&line, options, json] { line.chosen = [=] { return bench(*options, *json); }; });
}

}  // namespace regatta::launcher
