// The mail of an agent that is not rank 0: from the coordinator, and from other agents of its gang.
#pragma once

#include <deque>
#include <optional>

#include "measuring/measuring.hpp"
#include "ranks/mpi_link.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

class AgentMail {
 public:
  explicit AgentMail(MpiLink& link) : link_(link) {}

  // The messages that have come by now. They do not wait.
  std::optional<protocol::AgentRequest> from_coordinator();
  GangInbox& gang();

 private:
  /// Sorts what is there; false if nothing is.
  bool sort_next();

  MpiLink& link_;
  std::deque<protocol::AgentRequest> requests_;
  GangInbox gang_;
};

/// A link of a gang's agents over MPI, whose messages come by `inbox`.
GangLink gang_link(MpiLink& link, std::function<GangInbox&()> inbox);

}  // namespace regatta::launcher
