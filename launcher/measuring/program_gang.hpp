// A command of several ranks, as the agent that leads its group runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "launch/launch.hpp"
#include "measuring/agent_slot.hpp"
#include "measuring/measuring.hpp"
#include "measuring/rank_program.hpp"
#include "regatta/protocol/messages.hpp"

namespace regatta::launcher {

/// The meaning of a program that did not end in time for its trial.
enum class Timeouts : std::uint8_t {
  fail,     ///< it has failed: the same program would most likely hang again
  attempt,  ///< it is run again, as one that died without a reason
};

/// The agents of a group and how they are reached.
struct ProgramGroup {
  protocol::GangPlace place;
  std::vector<AgentId> others;  ///< agents of rank 1, 2, ...
  const GangLink& link;
};

/// A run of all ranks.
struct RunOfRanks {
  protocol::Exited own;          ///< rank 0's process, where it is a program
  double seconds = 0;            ///< the time of the rank that took longest
  std::uint64_t peak_bytes = 0;  ///< the memory of all together
};

class ProgramGang {
 public:
  /// `timeouts`: what ranks that run too long mean.
  ProgramGang(AgentSlot& slot, ProgramGroup group, std::int64_t threads, Timeouts timeouts);

  /// Has the other agents prepare, and learns where they are. Throws as ProcessArm::prepare().
  void prepare();

  /// By rank, after prepare().
  [[nodiscard]] const std::vector<RankPlace>& places() const { return places_; }

  /// Runs a process for each rank, until all have ended: `own` for rank 0. Where one fails, or too long has passed, the
  /// others are ended. Throws WorkerDied, ArmEnded or GivenUp, and then `last` holds what rank 0 said.
  RunOfRanks run(const protocol::RunProgram& own, const std::vector<Variables>& variables, protocol::Exited& last);

  // The parts of it, where rank 0 is a worker.

  void start_others(const std::vector<Variables>& variables);

  /// Whether another rank has failed by now.
  bool has_failed();

  /// A failure of rank 0's worker.
  void note_own(protocol::GangFailed what) { note({0, std::move(what)}); }

  /// Ends the others if they run; each prints its stacks first, if it can.
  void stop_others();

  /// Waits for the others, which are stopped after `patience_seconds`.
  void await_others(double patience_seconds);

  /// Throws what is rather the cause of all failures; returns if there is none.
  void raise_first() const;

 private:
  struct Failure {
    std::size_t rank;
    protocol::GangFailed what;
  };
  /// One run.
  struct State {
    std::vector<bool> ended = {};  ///< by rank
    std::optional<Failure> first = {};
    std::optional<Deadline> stop = {};  ///< by then all must have ended
    RunOfRanks result = {};
  };
  [[nodiscard]] std::string name_of(std::size_t rank) const;
  [[nodiscard]] std::optional<std::size_t> rank_of(AgentId agent) const;
  void take(GangIncoming& incoming);
  void take_all();
  void look_at_own(RankRun& own);
  void note(Failure failure);
  void note_timeout();
  [[nodiscard]] bool has_ended() const;
  [[noreturn]] void leave_silent() const;

  AgentSlot& slot_;
  ProgramGroup group_;
  std::int64_t threads_;
  Timeouts timeouts_;
  std::vector<RankPlace> places_;
  State state_;
};

}  // namespace regatta::launcher
