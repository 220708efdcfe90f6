// The slots of the ranks of a job: each node's cores, by the masks that its batch system or mpirun gave its ranks.
#pragma once

#include <string>
#include <vector>

#include "host/topology.hpp"
#include "os/wait.hpp"
#include "ranks/mpi_link.hpp"

namespace regatta::launcher {

/// A rank's part of its node, as it tells the others.
struct RankSlot {
  int host = 0;      ///< the lowest rank of its node
  std::string node;  ///< its name
  std::size_t cores = 0;
  std::size_t unused_threads = 0;  ///< hardware threads of the job on this node that no rank may use
};

/// "node n1: 4 slots of 4 cores", one for each node; nodes that are alike share a line.
std::vector<std::string> slot_lines(const std::vector<RankSlot>& ranks);

/// The slot of this rank. All ranks take part; rank 0 tells the slots of all nodes where a batch system gave them or
/// there are several. Throws InputError where masks of a node overlap and are not equal.
Slot own_slot(const MpiSession& mpi, const Chores& chores);

}  // namespace regatta::launcher
