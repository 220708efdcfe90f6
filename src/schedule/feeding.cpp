#include <algorithm>
#include <optional>
#include <tuple>

#include "schedule/groups.hpp"
#include "schedule/schedule.hpp"
#include "schedule/times.hpp"

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

constexpr double ahead_seconds = 0.05;  // work in an agent's hands, so that it never waits for its next grant
constexpr std::size_t most_ahead = 512;

/// Where an agent's next block stands.
struct Choice {
  ClassIndex demand_class;
  std::size_t place = 0;
  BlockIndex block;
};

/// How many blocks an agent holds beyond the running one: many quick ones. As with ranges, ever fewer towards the end.
std::size_t blocks_ahead(const Core& core, const Choice& choice) {
  const DemandQueue& queue = core.queues[choice.demand_class.value];
  const std::size_t least = core.options.outstanding;
  const double seconds = learnt_seconds(core, choice.block);
  if (queue.demand.ranks > 1 || seconds <= 0) return least;
  const double wanted = std::min(ahead_seconds / seconds, static_cast<double>(most_ahead));
  const std::size_t share = queue.waiting / (2 * sharers(core, queue));
  return std::max(least, std::min(static_cast<std::size_t>(wanted), share));
}

bool is_open_to(const Core& core, ClassIndex index, const AgentState& agent) {
  const DemandQueue& queue = core.queues[index.value];
  if (unclaimed(queue) == 0) return false;
  if (queue.demand.ranks > 1) return may_gather(core, queue, index, agent);
  // A busy agent gets more only while everyone else could have one too.
  return agent.held.empty() || queue.waiting >= sharers(core, queue);
}

/// Chooses first the block that the fewest agents can hold; among equals, by stage, length and plan order.
std::optional<Choice> choose(const Core& core, AgentId id) {
  const AgentState& agent = core.agents[id.value];
  const double begin_seconds = free_at_seconds(core, id);
  std::optional<Choice> best;
  std::tuple<std::uint32_t, LineKey, BlockIndex> best_key;
  for (ClassIndex index : core.kinds[agent.kind.value].classes) {
    if (!is_open_to(core, index, agent)) continue;
    const DemandQueue& queue = core.queues[index.value];
    const auto place = place_before_end(core, queue, begin_seconds);
    if (!place) continue;
    const BlockIndex block = front(queue, *place);
    const LineKey line = *place == from_repeats ? line_key(core, block) : queue.lines[*place].key;
    const std::tuple key{queue.capable, line, block};
    if (!best || key < best_key) best = {index, *place, block}, best_key = key;
  }
  return best;
}

/// As many of a range as still fit, one after the other; the first does.
std::uint32_t fitting(const Core& core, const Choice& choice, AgentId id, std::uint32_t at_most) {
  if (!has_end(core) || choice.place == from_repeats) return at_most;
  const DemandQueue& queue = core.queues[choice.demand_class.value];
  const std::uint32_t there = std::min(at_most, queue.lines[choice.place].ranges.front().count);
  double begin_seconds = free_at_seconds(core, id);
  std::uint32_t count = 1;
  for (; count < there; ++count) {
    begin_seconds += likely_seconds(core, {choice.block.value + count - 1});
    if (!fits_before_end(core, {choice.block.value + count}, begin_seconds)) break;
  }
  return count;
}

/// Short blocks for an agent that waits for the rest of its group, where they most likely end before that is there.
void fill_gap(Core& core, AgentId id) {
  if (core.all.seen == 0) return;
  const double left = ready_at_seconds(core, agent_of(core, id).gathering).value_or(0) - core.now_seconds;
  if (left <= 0) return;
  const auto ends_before = [&](BlockIndex block) {
    if (core.tour_of.contains(block)) return false;  // others go with it
    const double seconds = likely_seconds(core, block);
    return seconds > 0 && seconds <= left && fits_before_end(core, block, core.now_seconds);
  };
  for (ClassIndex index : core.kinds[agent_of(core, id).kind.value].classes) {
    const DemandQueue& queue = queue_of(core, index);
    if (queue.demand.ranks > 1 || unclaimed(queue) == 0) continue;
    const auto place = first_place(queue, ends_before);
    if (!place) continue;
    grant_range(core, index, id, 1, *place);
    if (!agent_of(core, id).held.empty()) return occupy_again(core, id);
  }
}

/// Until it has enough, or is reserved.
void take_work(Core& core, AgentId id) {
  AgentState& agent = agent_of(core, id);
  std::set<AgentId>& idle = core.kinds[agent.kind.value].idle;
  idle.erase(id);
  for (;;) {
    if (agent.held.size() <= core.options.outstanding && join_gathering(core, id)) return;
    const std::optional<Choice> chosen = choose(core, id);
    if (!chosen || agent.held.size() > blocks_ahead(core, *chosen)) break;
    const DemandQueue& queue = queue_of(core, chosen->demand_class);
    if (queue.demand.ranks > 1) return open_gathering(core, chosen->demand_class, id);
    const std::uint32_t count = fitting(core, *chosen, id, range_size(core, queue));
    grant_range(core, chosen->demand_class, id, count, chosen->place);
  }
  if (agent.held.empty()) idle.insert(id);
}

}  // namespace

void feed(Core& core, AgentId id) {
  if (core.drained) return;
  const AgentState& agent = agent_of(core, id);
  if (agent.duty == Duty::free) take_work(core, id);
  if (agent.duty == Duty::reserved && agent.held.empty()) fill_gap(core, id);
}

void feed_idle(Core& core) {
  for (AgentKind& kind : core.kinds) {
    while (!kind.idle.empty()) {
      const AgentId id = *kind.idle.begin();
      feed(core, id);
      if (kind.idle.contains(id)) break;  // nothing for its like
    }
  }
  for (std::uint32_t i = 0; i < core.queues.size(); ++i) {
    if (core.queues[i].demand.ranks > 1 && core.nodes.size() > 1) gather_idle(core, {i});
  }
}

bool some_may_begin(const Core& core) {
  return std::ranges::any_of(core.queues, [&core](const DemandQueue& queue) {
    if (queue.waiting == 0 || queue.capable < static_cast<std::uint64_t>(queue.demand.ranks)) return false;
    return place_before_end(core, queue, core.now_seconds).has_value();
  });
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
    drop_group(core, id);
    AgentState& agent = agent_of(core, id);
    if (agent.duty == Duty::grouped) agent.duty = Duty::free;
    core.askers.push_back(id);
  }
  core.groups.erase(group);
}

}  // namespace regatta::schedule
