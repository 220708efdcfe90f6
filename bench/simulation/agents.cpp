#include "simulation/agents.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <variant>

#include "regatta/protocol/codec.hpp"

namespace regatta::scale {
namespace {

constexpr double joining_seconds = 1e-3;

}  // namespace

Agents::Agents(World& world, Gangs& gangs, Ports ports) : world_(world), gangs_(gangs), ports_(std::move(ports)) {
  agents_.reserve(world.setup.machine.agents);
  for (std::uint32_t agent = 1; agent < world.setup.machine.agents; ++agent) agents_.emplace_back(AgentId{agent});
}

void Agents::join() {
  for (const Agent& each : agents_) {
    const AgentId id = each.seat.agent;
    world_.time.after(world_.random.between(0, joining_seconds), [this, id] {
      send(at(id), 0, ready_of(id.value, world_.setup.mix));
      look(id);
    });
  }
}

void Agents::signal(std::uint32_t agent) {
  at({agent}).seat.signalled = true;
  wake_later(at({agent}));
}

void Agents::arrive(AgentId id, protocol::Frame frame) {
  Agent& agent = at(id);
  agent.inbox.push_back(std::move(frame));
  wake_later(agent);
}

void Agents::wake_later(Agent& agent) {
  if (!agent.idle || agent.wakes) return;
  agent.wakes = true;
  const double longest = world_.setup.machine.longest_sleep_seconds;
  const double shortest = std::min(shortest_sleep_seconds, longest);
  const AgentId id = agent.seat.agent;
  world_.time.at(next_look(agent.idle_since_seconds, shortest, longest, world_.time.now()), [this, id] { look(id); });
}

/// Between lots, and when it wakes.
void Agents::look(AgentId id) {
  Agent& agent = at(id);
  Seat& seat = agent.seat;
  agent.wakes = agent.idle = false;
  double cost = hear(agent);
  if (!seat.gang) hear_signal(seat);
  cost = send_all(agent, cost);
  if (seat.gang) return;  // gang_begins() or gang_ends() goes on
  if (seat.turn.done()) {
    agent.left = true;
    ++left_;
    return;
  }
  if (const auto seconds = begin_lot(world_, seat)) {
    world_.worked.add(id.value, world_.time.now(), *seconds);
    world_.time.after(cost + *seconds, [this, id] { lot_ends(id); });
    return;
  }
  agent.idle = true;
  agent.idle_since_seconds = world_.time.now() + cost;
  if (!agent.inbox.empty() || (seat.signalled && !seat.draining)) wake_later(agent);
}

/// The agent hears its messages; returns the cost for it.
double Agents::hear(Agent& agent) {
  double cost = world_.setup.machine.link.probe_seconds;
  for (; !agent.inbox.empty(); agent.inbox.pop_front()) {
    const protocol::Frame& frame = agent.inbox.front();
    std::optional<protocol::AgentRequest> request;
    cost += world_.setup.machine.link.receive.of(frame.header.size() + frame.payload.size());
    cost += world_.meter([&] { request = protocol::parse_agent_request(frame); });
    if (const auto* grant = std::get_if<protocol::Grant>(&*request); grant != nullptr && !grant->gang.empty()) {
      join_gang(agent.seat, *grant);
      const std::vector<AgentId> members = gangs_.arrive(*grant);
      if (!members.empty()) gang_begins(members, *agent.seat.gang);
      continue;
    }
    cost += world_.meter([&] { agent.seat.turn.receive(*std::move(request)); });
  }
  return cost;
}

void Agents::gang_begins(const std::vector<AgentId>& members, const sweep::BlockTask& task) {
  const double seconds = attempt_of(world_.setup.mix, world_.setup.seed, task).seconds;
  ++world_.found.gangs;
  note_wait(members);
  for (const AgentId member : members) {
    world_.worked.add(member.value, world_.time.now(), seconds);
    if (member.value == 0) {
      ports_.rank_zero_in_gang(world_.time.now() + seconds);
    } else {
      world_.time.after(seconds, [this, member] { gang_ends(member); });
    }
  }
}

void Agents::note_wait(const std::vector<AgentId>& members) {
  constexpr double milliseconds = 1e3;
  double since = world_.time.now();
  for (const AgentId member : members) since = std::min(since, world_.worked.idle_since(member.value));
  const double waited = world_.time.now() - since;
  world_.gang_waits.add(static_cast<std::size_t>(milliseconds * waited));
  world_.found.gang_waits.longest_seconds = std::max(world_.found.gang_waits.longest_seconds, waited);
}

void Agents::gang_ends(AgentId id) {
  end_gang(world_, at(id).seat);
  look(id);
}

void Agents::lot_ends(AgentId id) {
  end_lot(world_, at(id).seat);
  send_all(at(id), 0);
  look(id);
}

double Agents::send_all(Agent& agent, double cost_seconds) {
  for (const protocol::AgentReply& reply : agent.seat.turn.take_messages()) {
    if (const auto* given = std::get_if<protocol::GivenBack>(&reply)) world_.found.returned += given->blocks.size();
    cost_seconds = send(agent, cost_seconds, reply);
  }
  return cost_seconds;
}

double Agents::send(Agent& agent, double cost_seconds, const protocol::AgentReply& reply) {
  protocol::Frame frame;
  cost_seconds += world_.meter([&] { frame = protocol::to_packed(reply); });
  cost_seconds += world_.setup.machine.link.send.of(frame.header.size() + frame.payload.size());
  const double arrival = world_.time.now() + cost_seconds + world_.way_seconds();
  agent.last_sent_seconds = std::max(agent.last_sent_seconds, arrival);
  const AgentId id = agent.seat.agent;
  world_.time.at(agent.last_sent_seconds,
                 [this, id, sent = std::move(frame)]() mutable { ports_.to_rank_zero(id, std::move(sent)); });
  return cost_seconds;
}

}  // namespace regatta::scale
