// Decisions a second of the scheduler alone, and what each costs as agents and trials grow: flat in both. `regatta
// bench` prints the last line.
#include <fmt/format.h>

#include <cstdint>
#include <string_view>

#include "bench/bench.hpp"

namespace {

using regatta::launcher::SchedulerLoad;

void print(const SchedulerLoad& measured, bool json) {
  const double rate = static_cast<double>(measured.decisions) / measured.seconds;
  constexpr const char* line = "{:>7} {:>9} {:>10} {:>12.0f}/s {:>8.2f} us\n";
  constexpr const char* object =
      R"({{"agents": {}, "trials": {}, "decisions": {}, "scheduler_decisions_per_second": {:.0f}}})";
  if (json) {
    fmt::print("{}\n", fmt::format(object, measured.agents, measured.trials, measured.decisions, rate));
  } else {
    fmt::print(line, measured.agents, measured.trials, measured.decisions, rate, 1e6 / rate);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const bool json = argc > 1 && std::string_view(argv[1]) == "--json";
  if (!json) fmt::print("{:>7} {:>9} {:>10} {:>14} {:>11}\n", "agents", "trials", "decisions", "", "each");
  for (const std::uint32_t agents : {64U, 512U, 4096U}) {
    for (const std::uint32_t trials : {100'000U, 1'000'000U})
      print(regatta::launcher::schedule_all(agents, trials), json);
  }
}
