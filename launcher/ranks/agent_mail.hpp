// What comes to an agent that is not rank 0: from the coordinator, and from other agents of its gang.
#pragma once

#include <deque>
#include <optional>

#include "measuring/gang_link.hpp"
#include "ranks/mpi_link.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

class AgentMail {
 public:
  explicit AgentMail(MpiLink& link) : link_(link) {}

  // What has come, if anything has. They do not wait.
  std::optional<protocol::AgentRequest> from_coordinator();
  std::optional<GangIncoming> from_gang();

 private:
  /// Sorts what is there; false if nothing is.
  bool sort_next();

  MpiLink& link_;
  std::deque<protocol::AgentRequest> requests_;
  std::deque<GangIncoming> of_gang_;
};

/// A link of a gang's agents over MPI, whose messages come by `receive`.
GangLink gang_link(MpiLink& link, std::function<std::optional<GangIncoming>()> receive);

}  // namespace regatta::launcher
