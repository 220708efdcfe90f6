// A sweep whose trials sleep, with real ranks: the shipped coordinator, journal, link and agents' turns, and a sleep in
// place of workers. The forecasts of bench_simulation are held against it.
#pragma once

#include <cstdint>

#include "ranks/mpi_link.hpp"
#include "simulation/settings.hpp"

namespace regatta::scale {

struct SleptSweep {
  double whole_seconds = 0;  ///< from the first message until all is done and durable
  double cpu_seconds = 0;    ///< CPU time of rank 0's thread
  double sync_seconds = 0;   ///< one fdatasync of a short append, median
  double late_share = 0;     ///< how much longer blocks took than they were to, together
  std::uint64_t blocks = 0;
  std::uint64_t recorded = 0;
};

/// Collective. `mix` has no groups, no drain and no leavers. Rank 0 gets the figures.
SleptSweep run_sleeping_sweep(const launcher::MpiSession& mpi, launcher::MpiLink& link, const Mix& mix,
                              std::uint64_t seed);

}  // namespace regatta::scale
