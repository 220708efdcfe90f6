// All agents but rank 0's, each as its rank runs it (launcher/ranks/agent.cpp): it looks at its messages between lots,
// and ever more seldom while it has nothing to run.
#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <vector>

#include "regatta/protocol/framing.hpp"
#include "simulation/seat.hpp"
#include "simulation/world.hpp"

namespace regatta::scale {

class Agents {
 public:
  struct Ports {
    std::function<void(AgentId, protocol::Frame)> to_rank_zero;  ///< a message arrives there
    std::function<void(double end_seconds)> rank_zero_in_gang;   ///< its agent works in one until then
  };
  Agents(World& world, Gangs& gangs, Ports ports);

  /// They come within a millisecond.
  void join();
  void signal(std::uint32_t agent);

  /// A message reaches its agent.
  void arrive(AgentId agent, protocol::Frame frame);

  /// All members of a gang have their grant.
  void gang_begins(const std::vector<AgentId>& members, const sweep::BlockTask& task);

  [[nodiscard]] bool all_left() const { return left_ == agents_.size(); }

 private:
  struct Agent {
    explicit Agent(AgentId id) : seat(id) {}
    Seat seat;
    std::deque<protocol::Frame> inbox = {};
    double last_sent_seconds = 0;  ///< messages of one link arrive in order
    double idle_since_seconds = 0;
    bool idle = false;
    bool wakes = false;  ///< it will look at its messages, and when is known
    bool left = false;
  };

  Agent& at(AgentId agent) { return agents_[agent.value - 1]; }
  void wake_later(Agent& agent);
  void look(AgentId id);
  double hear(Agent& agent);
  double send(Agent& agent, double cost_seconds, const protocol::AgentReply& reply);
  double send_all(Agent& agent, double cost_seconds);
  void lot_ends(AgentId id);
  void note_wait(const std::vector<AgentId>& members);
  void gang_ends(AgentId id);

  World& world_;
  Gangs& gangs_;
  Ports ports_;
  std::vector<Agent> agents_;
  std::size_t left_ = 0;
};

}  // namespace regatta::scale
