// One agent: the shipped AgentTurn, and in place of its workers the clock.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <vector>

#include "ranks/ranks.hpp"
#include "regatta/dispatch/agent_turn.hpp"
#include "simulation/workload.hpp"
#include "simulation/world.hpp"

namespace regatta::scale {

struct Seat {
  explicit Seat(AgentId id) : agent(id), turn(id) {}

  AgentId agent;
  dispatch::AgentTurn turn;
  launcher::LotSize lot_size;
  std::vector<sweep::BlockTask> lot = {};
  std::vector<Attempt> attempts = {};  ///< one for each
  double begun_seconds = 0;
  bool signalled = false;                     ///< to drain
  bool draining = false;                      ///< and it has heard
  std::optional<sweep::BlockTask> gang = {};  ///< a block of several agents, that it waits for or works in
  bool leads = false;                         ///< the gang
};

/// In place of the links between agents of a gang: a block begins when all have their grant, all work as long as it
/// takes, and its leader alone reports.
class Gangs {
 public:
  /// An agent has its grant. Its members if that was the last of them.
  std::vector<AgentId> arrive(const protocol::Grant& grant) {
    std::uint32_t& there = there_[grant.first];
    if (++there < grant.gang.size()) return {};
    there_.erase(grant.first);
    return grant.gang;
  }

 private:
  std::map<BlockIndex, std::uint32_t> there_;
};

/// It is one of the agents of a grant.
void join_gang(Seat& seat, const protocol::Grant& grant);

/// It hears of the drain between blocks.
void hear_signal(Seat& seat);

/// Takes what it runs next. How long that takes; nothing: there is nothing to run.
std::optional<double> begin_lot(World& world, Seat& seat);

/// Reports what it ran.
void end_lot(World& world, Seat& seat);

/// Its leader reports the block.
void end_gang(World& world, Seat& seat);

}  // namespace regatta::scale
