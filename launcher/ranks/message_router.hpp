// Rank 0's post office: between the coordinator, the other ranks and this rank's own agent.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <utility>

#include "measuring/measuring.hpp"
#include "ranks/mpi_link.hpp"
#include "ranks/progress.hpp"
#include "ranks/ranks.hpp"
#include "ranks/recorder.hpp"
#include "ranks/self_watch.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

class Hub {
 public:
  Hub(dispatch::Coordinator& coordinator, Recorder& recorder, MpiLink& link, ProgressPrinter progress)
      : coordinator_(coordinator),
        recorder_(recorder),
        link_(link),
        progress_(std::move(progress)),
        watch_(steady_seconds(), coordinator.foretold_seconds()) {}

  /// Delivers and forwards everything that is due. True if there was any news.
  bool turn();

  /// The same while a slice runs: at most once in 20 ms, so that the slice is not disturbed. Returns
  /// how long the caller may sleep, in seconds.
  double turn_beside_slice(bool other_ranks);

  /// Notes that turn() is not called for so long, unless something wakes the caller.
  void sleeps(double seconds) { watch_.loop.sleeps_until(steady_seconds() + seconds); }

  /// Writes the cost of orchestration until now to the journal.
  void note_self();

  /// Says how often errors came that were told once.
  void tell_repeats();

  void send_local(const protocol::AgentReply& message);
  std::optional<protocol::AgentRequest> receive_local();

  /// Messages from agents of this rank's gangs.
  GangInbox& gang();

 private:
  void deliver(AgentId from, protocol::AgentReply message);
  void record();

  dispatch::Coordinator& coordinator_;
  Recorder& recorder_;
  MpiLink& link_;
  ProgressPrinter progress_;
  FailuresTold failures_;
  SelfWatch watch_;
  std::size_t heard_ = 0;  ///< messages since the last turn
  std::deque<protocol::AgentRequest> inbox_;
  GangInbox gang_inbox_;
  double next_turn_seconds_ = 0;
  bool draining_ = false;
};

}  // namespace regatta::launcher
