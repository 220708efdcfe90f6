#include "schedule/feeding.hpp"

#include <algorithm>
#include <optional>
#include <tuple>

#include "schedule/grants.hpp"
#include "schedule/groups.hpp"

namespace regatta::schedule {
namespace {

/// How many agents will want a share of a queue: also those that are still to join.
std::size_t sharers(const Core& core, const DemandQueue& queue) {
  const std::size_t expected = all_joined(core) ? 0 : core.options.expected_agents;
  return std::max({std::size_t{queue.capable}, expected, std::size_t{1}});
}

/// Half of an equal share, so that ranges shrink towards the end and the last blocks go out singly.
std::uint32_t range_size(const Core& core, const DemandQueue& queue) {
  const std::size_t share = queue.waiting / (2 * sharers(core, queue));
  return static_cast<std::uint32_t>(std::clamp<std::size_t>(share, 1, std::max(core.options.batch, 1U)));
}

constexpr double ahead_seconds = 0.05;  // of work in an agent's hands, so that it never waits for its next grant
constexpr std::size_t most_ahead = 512;
constexpr double newest_share = 0.1;

/// How many blocks an agent holds beyond the running one: many quick ones. As with ranges, ever fewer towards the end.
std::size_t blocks_ahead(const Core& core, const DemandQueue& queue) {
  const std::size_t least = core.options.outstanding;
  if (queue.demand.ranks > 1 || core.block_seconds <= 0) return least;
  const double wanted = std::min(ahead_seconds / core.block_seconds, static_cast<double>(most_ahead));
  const std::size_t share = queue.waiting / (2 * sharers(core, queue));
  return std::max(least, std::min(static_cast<std::size_t>(wanted), share));
}

bool is_open_to(const Core& core, const DemandQueue& queue, bool idle) {
  if (unclaimed(queue) == 0) return false;
  if (queue.demand.ranks > 1) return queue.capable >= static_cast<std::size_t>(queue.demand.ranks);
  // A busy agent gets more only while everyone else could have one too.
  return idle || queue.waiting >= sharers(core, queue);
}

/// What the fewest agents can hold goes first; among equals, plan order.
std::optional<ClassIndex> choose_class(const Core& core, const AgentState& agent) {
  std::optional<ClassIndex> best;
  std::tuple<std::uint32_t, BlockIndex> best_key;
  for (ClassIndex index : core.kinds[agent.kind.value].classes) {
    const DemandQueue& queue = core.queues[index.value];
    if (!is_open_to(core, queue, agent.held.empty())) continue;
    const std::tuple<std::uint32_t, BlockIndex> key{queue.capable, front(queue)};
    if (!best || key < best_key) best = index, best_key = key;
  }
  return best;
}

}  // namespace

void note_seconds(Core& core, double seconds) {
  if (!(seconds > 0)) return;
  core.block_seconds =
      core.block_seconds > 0 ? (1 - newest_share) * core.block_seconds + newest_share * seconds : seconds;
}

void feed(Core& core, AgentId id) {
  AgentState& agent = agent_of(core, id);
  if (core.drained || agent.duty != Duty::free) return;
  std::set<AgentId>& idle = core.kinds[agent.kind.value].idle;
  idle.erase(id);
  for (;;) {
    if (agent.held.size() <= core.options.outstanding && join_gathering(core, id)) return;
    const std::optional<ClassIndex> chosen = choose_class(core, agent);
    if (!chosen || agent.held.size() > blocks_ahead(core, queue_of(core, *chosen))) break;
    if (queue_of(core, *chosen).demand.ranks > 1) return open_gathering(core, *chosen, id);
    grant_range(core, *chosen, id, range_size(core, queue_of(core, *chosen)));
  }
  if (agent.held.empty()) idle.insert(id);
}

void feed_idle(Core& core) {
  for (AgentKind& kind : core.kinds) {
    while (!kind.idle.empty()) {
      const AgentId id = *kind.idle.begin();
      feed(core, id);
      if (kind.idle.contains(id)) break;  // nothing for its like
    }
  }
}

void take_away(Core& core, BlockIndex index) {
  --core.running;
  const auto group = core.groups.find(index);
  if (group == core.groups.end()) {
    const AgentId owner = block_of(core, index).owner;
    drop_held(core, index);
    core.askers.push_back(owner);
    AgentState& agent = agent_of(core, owner);
    if (agent.duty == Duty::reserved && agent.held.empty()) arrived(core, owner);
    return;
  }
  for (AgentId id : group->second) {
    AgentState& agent = agent_of(core, id);
    agent.held.clear();
    if (agent.duty == Duty::grouped) agent.duty = Duty::free;
    core.askers.push_back(id);
  }
  core.groups.erase(group);
}

}  // namespace regatta::schedule
