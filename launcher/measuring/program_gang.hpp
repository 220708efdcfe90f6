// A command of several ranks, as the agent that leads its group runs it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
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
  protocol::Exited own;          ///< rank 0's process
  double seconds = 0;            ///< of the rank that took longest
  std::uint64_t peak_bytes = 0;  ///< of all together
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

 private:
  struct Failure {
    std::size_t rank;
    protocol::GangFailed what;
  };
  struct State {
    std::vector<bool> ended;  ///< by rank
    std::optional<Failure> first;
    bool gives_up = false;
    std::optional<Deadline> stop;  ///< by then all must have ended
    RunOfRanks result;
  };
  [[nodiscard]] std::string name_of(std::size_t rank) const;
  [[nodiscard]] std::optional<std::size_t> rank_of(AgentId agent) const;
  void take(GangIncoming& incoming, State& state) const;
  void look_at_own(RankRun& own, State& state) const;
  void note(State& state, Failure failure) const;
  void note_timeout(State& state) const;
  void stop_all(RankRun& own, State& state) const;
  [[noreturn]] void leave_silent(const State& state) const;
  [[noreturn]] void raise(const Failure& failure) const;

  AgentSlot& slot_;
  ProgramGroup group_;
  std::int64_t threads_;
  Timeouts timeouts_;
  std::vector<RankPlace> places_;
};

}  // namespace regatta::launcher
