// Rank 0's post office: between the coordinator, the other ranks and this rank's own agent.
#pragma once

#include <deque>
#include <optional>
#include <utility>

#include "ranks/mpi_link.hpp"
#include "ranks/progress.hpp"
#include "ranks/recorder.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

class Hub {
 public:
  Hub(dispatch::Coordinator& coordinator, Recorder& recorder, MpiLink& link, ProgressPrinter progress)
      : coordinator_(coordinator), recorder_(recorder), link_(link), progress_(std::move(progress)) {}

  /// Delivers and forwards everything that is due. True if there was any news.
  bool turn();

  /// The same while a slice runs: at most once in 20 ms, so that the slice is not disturbed. Returns
  /// how long the caller may sleep, in seconds.
  double turn_beside_slice(bool other_ranks);

  void send_local(const protocol::AgentReply& message);
  std::optional<protocol::AgentRequest> receive_local();

 private:
  void deliver(AgentId from, protocol::AgentReply message);

  dispatch::Coordinator& coordinator_;
  Recorder& recorder_;
  MpiLink& link_;
  ProgressPrinter progress_;
  std::deque<protocol::AgentRequest> inbox_;
  double next_turn_seconds_ = 0;
  bool draining_ = false;
};

}  // namespace regatta::launcher
