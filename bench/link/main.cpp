// The cost of the link between ranks for rank 0, measured with real processes: CPU time of its thread.
//
//   mpirun -n 64 bench_link costs MESSAGES                     messages of each rank and size
//   mpirun -n 64 bench_link sweep TRIALS TRIAL_SECONDS ARMS    a sweep whose trials sleep
//
// Both print one JSON object. The second keeps its journal in a folder that it makes where it is started.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <string>
#include <utility>
#include <vector>

#include "link/link_costs.hpp"
#include "link/sleeping_sweep.hpp"

namespace {

using namespace regatta;

constexpr int exit_bad_input = 2;

void print(int ranks, const scale::LinkFigures& figures) {
  fmt::print(R"({{"ranks": {}, "probe_seconds": {:.3g}, "sizes": [)", ranks, figures.probe_seconds);
  const char* between = "";
  for (const scale::LinkCost& cost : figures.costs) {
    fmt::print(R"({}{{"received_bytes": {}, "receive_seconds": {:.3g}, "sent_bytes": {}, "send_seconds": {:.3g}}})",
               std::exchange(between, ", "), cost.received_bytes, cost.receive_seconds, cost.sent_bytes,
               cost.send_seconds);
  }
  fmt::print("]}}\n");
}

void measure_costs(const launcher::MpiSession& mpi, launcher::MpiLink& link, std::size_t messages) {
  const scale::LinkFigures figures = scale::link_costs(mpi, link, messages);
  if (mpi.rank() == 0) print(mpi.size(), figures);
}

void measure_sweep(const launcher::MpiSession& mpi, launcher::MpiLink& link, const std::vector<std::string>& words) {
  scale::Mix mix =
      scale::plain(static_cast<std::uint32_t>(std::stoul(words[1])), static_cast<std::uint32_t>(std::stoul(words[3])));
  mix.trial_seconds = std::stod(words[2]);
  const scale::SleptSweep found = scale::run_sleeping_sweep(mpi, link, mix, 1);
  if (mpi.rank() > 0) return;
  fmt::print(R"({{"ranks": {}, "trials": {}, "arms": {}, "trial_seconds": {}, "whole_seconds": {:.4f}, )"
             R"("cpu_seconds": {:.4f}, "sync_seconds": {:.3g}, "late_share": {:.4f}, "blocks": {}, "recorded": {}}})"
             "\n",
             mpi.size(), mix.trials, mix.arms, mix.trial_seconds, found.whole_seconds, found.cpu_seconds,
             found.sync_seconds, found.late_share, found.blocks, found.recorded);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  const bool is_costs = words.size() == 2 && words[0] == "costs";
  if (!is_costs && !(words.size() == 4 && words[0] == "sweep")) {
    fmt::print(stderr, "usage: bench_link costs MESSAGES | bench_link sweep TRIALS TRIAL_SECONDS ARMS\n");
    return exit_bad_input;
  }
  try {
    const launcher::MpiSession mpi;
    launcher::MpiLink link;
    if (is_costs)
      measure_costs(mpi, link, std::stoul(words[1]));
    else
      measure_sweep(mpi, link, words);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_link: {}\n", error.what());
    std::_Exit(1);  // the others wait for this rank: mpirun ends them
  }
  return 0;
}
