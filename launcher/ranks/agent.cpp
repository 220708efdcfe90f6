#include "ranks/agent.hpp"

#include <algorithm>
#include <utility>

#include "measuring/block_runner.hpp"
#include "os/wait.hpp"

namespace regatta::launcher {
namespace {

constexpr double shortest_sleep_seconds = 20e-6;
constexpr double longest_sleep_seconds = 20e-3;
constexpr std::size_t most_unacknowledged = 1024;

struct Granted {
  BlockIndex block;
  AttemptId attempt;
  std::vector<protocol::DroppedArm> dropped;
};

struct Agent {
  Bench& bench;
  const Uplink& uplink;
  std::deque<Granted> queue;
  std::set<std::pair<BlockIndex, AttemptId>> unacknowledged;
  bool finish = false;
};

void handle(Agent& agent, const protocol::Grant& grant) {
  for (std::uint32_t i = 0; i < grant.count; ++i)
    agent.queue.push_back({{grant.first.value + i}, grant.attempt, grant.dropped});
}

void handle(Agent& agent, const protocol::Acknowledge& ack) { agent.unacknowledged.erase({ack.block, ack.attempt}); }

void handle(Agent& agent, const protocol::Finish&) { agent.finish = true; }

bool receive_all(Agent& agent) {
  bool any = false;
  while (const auto request = agent.uplink.receive()) {
    std::visit([&](const auto& message) { handle(agent, message); }, *request);
    any = true;
  }
  return any;
}

void give_back(Agent& agent) {
  protocol::GivenBack given;
  for (const Granted& granted : agent.queue) given.blocks.push_back(granted.block);
  agent.queue.clear();
  agent.uplink.send(given);
}

void run_next(Agent& agent) {
  const Granted granted = std::move(agent.queue.front());
  agent.queue.pop_front();
  const sweep::Block& block = agent.bench.plan.blocks.at(granted.block.value);
  BlockOutcome outcome = run_block(agent.bench, block, granted.attempt, granted.dropped);
  if (auto* result = std::get_if<protocol::BlockResult>(&outcome)) {
    agent.unacknowledged.emplace(result->block, result->attempt);
    agent.uplink.send(std::move(*result));
  } else {
    agent.uplink.send(std::get<protocol::AttemptFailed>(outcome));
  }
}

}  // namespace

void run_agent(Bench& bench, const Uplink& uplink, const protocol::AgentReady& greeting) {
  Agent agent{bench, uplink, {}, {}, false};
  uplink.send(greeting);
  for (double sleep_seconds = shortest_sleep_seconds; !agent.finish || !agent.unacknowledged.empty();) {
    const bool news = receive_all(agent);
    if (uplink.drain_requested() && !agent.queue.empty()) give_back(agent);
    if (!agent.queue.empty() && agent.unacknowledged.size() < most_unacknowledged) {
      run_next(agent);
      sleep_seconds = shortest_sleep_seconds;
      continue;
    }
    // Idle: a rank that blocks in MPI burns a core, so it polls, ever more seldom.
    sleep_seconds = news ? shortest_sleep_seconds : std::min(2 * sleep_seconds, longest_sleep_seconds);
    wait_readable({}, Deadline::after(sleep_seconds), [=] { return sleep_seconds; });
  }
  bench.pool.stop_all();
}

}  // namespace regatta::launcher
