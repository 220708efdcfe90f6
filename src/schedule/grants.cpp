#include <algorithm>
#include <utility>
#include <vector>

#include "schedule/schedule.hpp"
#include "schedule/times.hpp"

namespace regatta::schedule {
namespace {

/// It holds one block more (+1) or less (-1).
void occupy(const Core& core, AgentState& agent, const BlockState& block, int change) {
  agent.held_seconds = agent.held.empty() ? 0 : agent.held_seconds + change * double{block.held_seconds};
  agent.free_at_seconds = core.now_seconds + agent.held_seconds;
}

void hold(Core& core, BlockIndex index, AgentId owner, AttemptId attempt) {
  BlockState& block = block_of(core, index);
  block.held_seconds = static_cast<float>(expected_seconds(core, index));
  block.phase = Phase::granted;
  block.owner = owner;
  block.attempt = attempt;
  --core.waiting;
  ++core.running;
}

/// Drops its arms that died on the device which nobody has any more, and concludes it where no other is left.
bool ends_without_device(Core& core, BlockIndex index) {
  drop_arms_of_device(core, index);
  std::vector<std::pair<ArmIndex, Cause>> dropped = dropped_arms(core, index);
  if (dropped.size() < block_of(core, index).arms) return false;
  --core.waiting;
  core.actions.emplace_back(Conclude{index, block_of(core, index).attempt, std::move(dropped)});
  conclude(core, index);
  return true;
}

bool is_in_tour(const Core& core, BlockIndex block) { return core.tour_of.contains(block); }

/// How many of a range go by themselves, from its first block on.
std::uint32_t count_alone(const Core& core, const DemandQueue& queue, std::size_t place, std::uint32_t at_most) {
  if (core.tour_of.empty() || place == from_repeats) return at_most;
  const BlockRange& range = queue.lines[place].ranges.front();
  std::uint32_t count = 1;
  while (count < std::min(at_most, range.count) && !is_in_tour(core, {range.first.value + count})) ++count;
  return count;
}

void hand_over(Core& core, AgentId id, const BlockRange& range, AttemptId attempt) {
  AgentState& agent = agent_of(core, id);
  for (std::uint32_t i = 0; i < range.count; ++i) {
    const BlockIndex index{range.first.value + i};
    hold(core, index, id, attempt);
    BlockState& block = block_of(core, index);
    block.place = static_cast<std::uint32_t>(agent.held.size());
    agent.held.push_back(index);
    occupy(core, agent, block, 1);
  }
}

/// All blocks of the tour that were never granted, in as many grants as they have gaps.
void grant_tour(Core& core, DemandQueue& queue, AgentId id, std::uint32_t tour) {
  std::vector<BlockRange> ranges;
  std::uint32_t to_come = 0;
  for (const BlockIndex block : core.tours.at(tour)) {
    if (!take_one(queue, block)) continue;
    ++to_come;
    const bool is_next = !ranges.empty() && ranges.back().first.value + ranges.back().count == block.value;
    if (is_next)
      ++ranges.back().count;
    else
      ranges.push_back({block, 1});
  }
  for (const BlockRange& range : ranges) {
    to_come -= range.count;
    hand_over(core, id, range, {1});
    core.actions.emplace_back(Grant{{id}, range.first, range.count, {1}, {}, queue.without_device, tour, to_come});
  }
}

}  // namespace

void grant_range(Core& core, ClassIndex demand_class, AgentId id, std::uint32_t at_most, std::size_t place) {
  DemandQueue& queue = queue_of(core, demand_class);
  const auto tour = place == from_repeats ? core.tour_of.end() : core.tour_of.find(front(queue, place));
  if (tour != core.tour_of.end()) return grant_tour(core, queue, id, tour->second);
  const BlockRange range = take(queue, count_alone(core, queue, place, at_most), place);
  // Fresh blocks were never granted, and others come one at a time: a range has one attempt.
  const AttemptId attempt{block_of(core, range.first).attempt.value + 1};
  if (!queue.without_device.empty() && ends_without_device(core, range.first)) return;
  hand_over(core, id, range, attempt);
  core.actions.emplace_back(
      Grant{{id}, range.first, range.count, attempt, dropped_arms(core, range.first), queue.without_device});
}

void grant_group(Core& core, ClassIndex demand_class, std::vector<AgentId> agents, std::size_t place) {
  DemandQueue& queue = queue_of(core, demand_class);
  const BlockIndex index = take(queue, 1, place).first;
  const AttemptId attempt{block_of(core, index).attempt.value + 1};
  hold(core, index, agents.front(), attempt);
  for (AgentId id : agents) {
    agent_of(core, id).duty = Duty::grouped;
    agent_of(core, id).held = {index};
    occupy(core, agent_of(core, id), block_of(core, index), 1);
  }
  const std::string& without_device = queue.without_device;
  if (!without_device.empty()) drop_arms_of_device(core, index);
  core.actions.emplace_back(Grant{agents, index, 1, attempt, dropped_arms(core, index), without_device});
  core.groups[index] = std::move(agents);
}

void drop_held(Core& core, BlockIndex index) {
  const BlockState& block = block_of(core, index);
  AgentState& agent = agent_of(core, block.owner);
  agent.held[block.place] = agent.held.back();
  block_of(core, agent.held[block.place]).place = block.place;
  agent.held.pop_back();
  occupy(core, agent, block, -1);
}

void drop_group(Core& core, AgentId id) {
  AgentState& agent = agent_of(core, id);
  agent.held.clear();
  agent.held_seconds = 0;
  agent.free_at_seconds = core.now_seconds;
}

void return_to_queue(Core& core, BlockIndex index) {
  BlockState& block = block_of(core, index);
  block.phase = Phase::waiting;
  push_repeat(queue_of(core, block.demand_class), index);
  if (has_end(core)) {  // one that is too long stands in nobody's way
    std::ranges::stable_sort(queue_of(core, block.demand_class).repeats, {},
                             [&core](BlockIndex one) { return likely_least_seconds(core, one); });
  }
  ++core.waiting;
  core.idle_may_have_work = true;
}

void conclude(Core& core, BlockIndex index) {
  block_of(core, index).phase = Phase::concluded;
  core.deaths.erase(index);
  ++core.concluded;
}

}  // namespace regatta::schedule
