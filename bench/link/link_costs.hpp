// The cost of messages for rank 0 on the link that Regatta's ranks use, while all other ranks send and sleep.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "ranks/mpi_link.hpp"

namespace regatta::scale {

/// CPU time of rank 0's thread for one message.
struct LinkCost {
  std::size_t received_bytes = 0;
  std::size_t sent_bytes = 0;
  double receive_seconds = 0;
  double send_seconds = 0;
};

struct LinkFigures {
  double probe_seconds = 0;     ///< a poll that finds nothing
  std::vector<LinkCost> costs;  ///< by size
};

/// Collective. Rank 0 gets the figures.
LinkFigures link_costs(const launcher::MpiSession& mpi, launcher::MpiLink& link, std::size_t messages_of_each);

}  // namespace regatta::scale
