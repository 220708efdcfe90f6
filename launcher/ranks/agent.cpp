#include "ranks/agent.hpp"

#include <algorithm>
#include <utility>
#include <variant>

#include "measuring/block_runner.hpp"
#include "os/wait.hpp"
#include "regatta/dispatch/agent_turn.hpp"

namespace regatta::launcher {
namespace {

constexpr double shortest_sleep_seconds = 20e-6;
constexpr double longest_sleep_seconds = 20e-3;

bool receive_all(dispatch::AgentTurn& turn, const Uplink& uplink) {
  bool any = false;
  while (auto request = uplink.receive()) {
    turn.receive(std::move(*request));
    any = true;
  }
  return any;
}

void send_all(dispatch::AgentTurn& turn, const Uplink& uplink) {
  for (const protocol::AgentReply& reply : turn.take_messages()) uplink.send(reply);
}

protocol::AgentReply run(AgentSlot& slot, const sweep::BlockTask& task, measure::BlockBudget& budget,
                         const Uplink& uplink) {
  const BlockLine line{uplink.drain_requested, [&](const protocol::BlockStand& stand) { uplink.send(stand); }};
  return std::visit([](auto&& outcome) { return protocol::AgentReply(std::move(outcome)); },
                    run_block(slot, task, budget, line));
}

}  // namespace

void run_agent(AgentSlot& slot, const Uplink& uplink, AgentId own, const protocol::AgentReady& greeting) {
  dispatch::AgentTurn turn(own);
  measure::BlockBudget budget;
  uplink.send(greeting);
  for (double sleep_seconds = shortest_sleep_seconds; !turn.done();) {
    const bool news = receive_all(turn, uplink);
    if (uplink.drain_requested()) turn.drain();
    send_all(turn, uplink);
    if (const auto task = turn.next()) {
      turn.ran(run(slot, *task, budget, uplink));
      send_all(turn, uplink);
      sleep_seconds = shortest_sleep_seconds;
      continue;
    }
    // Idle: a rank that blocks in MPI burns a core, so it polls, ever more seldom.
    sleep_seconds = news ? shortest_sleep_seconds : std::min(2 * sleep_seconds, longest_sleep_seconds);
    wait_readable({}, Deadline::after(sleep_seconds), [=] { return sleep_seconds; });
  }
  slot.pool.stop_all();
}

}  // namespace regatta::launcher
