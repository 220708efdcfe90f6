// Processes that trials ask for: those that are expected to scatter alike, and those that serve several blocks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/sweep/parameters.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::sweep {

/// Engine, mode, device, threads and ranks: "torch graph cpu, 2 threads, 1 ranks".
std::string process_class(const Parameters& parameters);

inline constexpr std::size_t most_in_tour = 64;  ///< blocks

/// A block that may go in a tour, with what it asks of an agent.
struct TourCandidate {
  BlockIndex block;
  std::int64_t cores = 1;
  std::int64_t least_cores = 0;
  std::int64_t least_ranks = 0;
};

/// The tour of each candidate, numbered from 1; 0: it goes by itself. The blocks of a tour are visited in the same
/// processes (measuring.md, R19). Their arms differ in nothing but what is built in these: model, batch, length and the
/// like. Some may lack the last arms of others. There are as many tours as agents, where there are enough blocks, so
/// that no agent waits for another one's tour to end. No tour has more than `most_in_tour` blocks.
std::vector<std::uint32_t> number_tours(const Sweep& sweep, const Plan& plan, std::span<const TourCandidate> candidates,
                                        std::uint32_t agents);

/// The processes that a block shares with others.
struct SharedProcesses {
  std::uint32_t tour = 0;  ///< its number; 0: nothing
  std::size_t blocks = 1;  ///< blocks in the tour
};

/// The shared processes of each block of the plan, where all are measured.
std::vector<SharedProcesses> shared_processes(const Sweep& sweep, const Plan& plan, std::uint32_t agents);

}  // namespace regatta::sweep
