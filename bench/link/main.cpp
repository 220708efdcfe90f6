// What the link between ranks costs rank 0, measured with real processes: CPU time of its thread.
//
//   mpirun -n 64 bench_link [MESSAGES]    one JSON object: MESSAGES of each rank and size (100)
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <exception>
#include <utility>

#include "link/link_costs.hpp"

namespace {

using namespace regatta;

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

}  // namespace

int main(int argc, char** argv) {
  const std::size_t messages = argc > 1 ? std::strtoul(argv[1], nullptr, 10) : 100;
  try {
    const launcher::MpiSession mpi;
    launcher::MpiLink link;
    const scale::LinkFigures figures = scale::link_costs(mpi, link, messages);
    if (mpi.rank() == 0) print(mpi.size(), figures);
  } catch (const std::exception& error) {
    fmt::print(stderr, "bench_link: {}\n", error.what());
    std::_Exit(1);  // the others wait for this rank: mpirun ends them
  }
  return 0;
}
