// One session of a run: a coordinator, its agents and a disk, in virtual time, until all have left or everything dies.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "random.hpp"
#include "regatta/dispatch/agent_turn.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/sweep/spec.hpp"
#include "store.hpp"
#include "virtual_time.hpp"

namespace regatta::simulation {

/// The faults of a session, and their times.
struct Weather {
  std::uint32_t agents = 1;
  std::optional<double> crash_seconds;  ///< the job is killed, or loses a rank, which ends all of it
  std::optional<double> drain_seconds;
  double death = 0;           ///< probability that an attempt ends with a dead worker
  double silence = 0;         ///< probability that an agent of a gang is not heard any more, which ends the job
  double repeated = 0;        ///< probability that the end of an attempt arrives twice
  double slow_sync = 0;       ///< probability that a sync takes seconds
  double failing_sync = 0;    ///< probability that a sync fails
  double longest_block = 2;   ///< seconds
  double longest_way = 0.05;  ///< seconds that a message travels
  double clock_jump = 0;      ///< probability that the wall clock is set anew while a block runs
};

enum class End { finished, crashed, disk_failed };

class Session {
 public:
  Session(const sweep::Sweep& sweep, const sweep::Plan& plan, Store& store, const Weather& weather, Random& random);

  /// Throws Violation.
  End run();

  [[nodiscard]] bool drained() const { return signalled_; }
  [[nodiscard]] bool lost_an_agent() const { return lost_an_agent_; }
  [[nodiscard]] bool left_blocks() const { return coordinator_.progress().too_large > 0; }

 private:
  struct Agent {
    dispatch::AgentTurn turn;
    std::deque<std::string> inbox = {};
    double last_sent = 0;  ///< messages of one link arrive in order
    double last_received = 0;
    bool joined = false;
    bool busy = false;
    bool signalled = false;  ///< the drain's signal came
    bool draining = false;   ///< and it has heard
    bool gave_back = false;
    bool dismissed = false;
    bool left = false;
  };

  void join(std::uint32_t agent);
  void drain();
  void run_next();
  void cut_off_sync();
  [[nodiscard]] double wall_seconds() const { return time_.now() + clock_ahead_seconds_; }
  void take_turn(std::uint32_t agent);
  void start(std::uint32_t agent, const sweep::BlockTask& granted);
  void meet(std::uint32_t agent, const sweep::BlockTask& granted);
  void run(std::uint32_t agent, const sweep::BlockTask& granted);
  void lose_one_of(const sweep::BlockTask& granted);
  void let_go(const std::vector<AgentId>& gang, BlockIndex block, AttemptId attempt);
  protocol::AgentReply outcome_of(const sweep::BlockTask& granted, double start_wall_seconds);
  protocol::AgentReply drained_outcome_of(const sweep::BlockTask& granted, double start_wall_seconds);
  void note_death(BlockIndex block, ArmIndex arm);
  bool dies(const sweep::BlockTask& granted, ArmIndex& arm);
  void send_replies(std::uint32_t agent);
  void to_coordinator(std::uint32_t agent, const std::string& bytes);
  void pump();
  void send(const dispatch::Outbound& outbound);
  void arrive(std::uint32_t agent, const protocol::AgentRequest& message);
  void begin_sync();
  void end_sync(std::uint64_t records);
  void check_end();

  const sweep::Sweep& sweep_;
  const sweep::Plan& plan_;
  Store& store_;
  Weather weather_;
  Random& random_;
  VirtualTime time_;
  dispatch::Coordinator coordinator_;
  std::vector<Agent> agents_;
  std::map<std::pair<BlockIndex, ArmIndex>, std::int64_t> deaths_;
  /// The agents that have come to a gang's block, and whether its leader has let it go.
  struct Meeting {
    std::set<std::uint32_t> there = {};
    bool is_over = false;
  };
  std::map<std::pair<BlockIndex, AttemptId>, Meeting> meetings_;
  double clock_ahead_seconds_ = 0;
  bool signalled_ = false;
  bool draining_ = false;  ///< and the coordinator has heard
  bool syncing_ = false;
  bool lost_an_agent_ = false;
  std::optional<End> end_;
};

}  // namespace regatta::simulation
