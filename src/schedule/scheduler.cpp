#include "regatta/schedule/scheduler.hpp"

#include <algorithm>
#include <tuple>

#include "regatta/base/error.hpp"
#include "regatta/sweep/processes.hpp"
#include "schedule/core.hpp"
#include "schedule/groups.hpp"
#include "schedule/schedule.hpp"
#include "schedule/times.hpp"

namespace regatta::schedule {

struct Scheduler::State : Core {};

namespace {

using DemandKey = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, sweep::DeviceKind>;

using EstimatePlaces = std::map<Estimate, std::uint32_t>;

/// Many blocks have the same.
std::uint32_t place_of(Core& core, EstimatePlaces& places, const Estimate& estimate) {
  const auto [found, is_new] = places.try_emplace(estimate, core.estimates.size());
  if (!is_new) return found->second;
  core.estimates.push_back(estimate);
  if (estimate.alike >= core.factors.size()) core.factors.resize(estimate.alike + 1);
  return found->second;
}

void enqueue(Core& core, std::vector<BlockRequest> requests) {
  std::sort(requests.begin(), requests.end(),
            [](const BlockRequest& a, const BlockRequest& b) { return a.block < b.block; });
  if (!requests.empty()) core.blocks.resize(requests.back().block.value + 1);
  std::map<DemandKey, ClassIndex> classes;
  EstimatePlaces places;
  for (const BlockRequest& request : requests) {
    const sweep::Demand& demand = request.demand;
    expect(request.arms > 0 && demand.ranks > 0, "a block has at least one arm and one rank");
    const ClassIndex fresh{static_cast<std::uint32_t>(core.queues.size())};
    const DemandKey key{demand.ranks, request.least_ranks, demand.cores, request.least_cores, demand.device};
    const auto [found, is_new] = classes.try_emplace(key, fresh);
    if (is_new) {
      DemandQueue& queue = core.queues.emplace_back();
      queue.demand = demand;
      queue.least_ranks = request.least_ranks;
      queue.least_cores = request.least_cores;
    }
    BlockState& block = block_of(core, request.block);
    expect(block.phase == Phase::absent, "each block is given once");
    block.demand_class = found->second;
    block.arms = request.arms;
    block.stage = request.stage;
    block.estimate = place_of(core, places, request.estimate);
    block.phase = Phase::waiting;
    if (request.tour > 0) {
      core.tour_of[request.block] = request.tour;
      core.tours[request.tour].push_back(request.block);
    }
    if (request.alone)
      core.alone.push_back(request.block);
    else
      push_fresh(queue_of(core, found->second), request.block, line_key(core, request.block));
  }
  core.waiting = requests.size();
  for (const auto& [tour, blocks] : core.tours)
    expect(blocks.size() <= sweep::most_in_tour, "a tour has more blocks than one agent takes");
}

/// Whether `agent` holds this very attempt; anything else is stale or repeated.
bool is_current(const Core& core, AgentId agent, BlockIndex index) {
  if (index.value >= core.blocks.size()) return false;
  const BlockState& block = core.blocks[index.value];
  if (block.phase != Phase::granted) return false;
  if (block.owner == agent) return true;
  const auto group = core.groups.find(index);
  return group != core.groups.end() && std::binary_search(group->second.begin(), group->second.end(), agent);
}

bool is_current(const Core& core, AgentId agent, BlockIndex index, AttemptId attempt) {
  return is_current(core, agent, index) && core.blocks[index.value].attempt == attempt;
}

void handle(Core& core, const AgentJoined& event) {
  if (is_present(core, event.slot.agent)) return;
  enrol(core, event.slot);
  core.askers.push_back(event.slot.agent);
  go_on_without_devices(core);
  refuse_what_nobody_can_hold(core);
  core.idle_may_have_work = true;  // with one more agent a larger group may have become possible
}

void take_back(Core& core, std::vector<BlockIndex> blocks) {
  std::sort(blocks.begin(), blocks.end());
  for (BlockIndex block : blocks) {
    take_away(core, block);
    return_to_queue(core, block);
  }
}

/// Its blocks go back, in plan order, and groups form anew without it.
void part_with(Core& core, AgentId id, std::vector<BlockIndex> blocks, Duty duty) {
  dissolve_gatherings(core);
  retire(core, id, duty);
  take_back(core, std::move(blocks));
  core.idle_may_have_work = true;  // without it, groups may have to span nodes
}

void handle(Core& core, const AgentLeft& event) {
  if (!is_present(core, event.agent)) return;
  part_with(core, event.agent, agent_of(core, event.agent).held, Duty::absent);
}

/// All of `named` that the agent holds, each once.
std::vector<BlockIndex> held_of(const Core& core, AgentId agent, const std::vector<BlockIndex>& named) {
  std::vector<BlockIndex> blocks = named;
  std::sort(blocks.begin(), blocks.end());
  blocks.erase(std::unique(blocks.begin(), blocks.end()), blocks.end());
  std::erase_if(blocks, [&](BlockIndex block) { return !is_current(core, agent, block); });
  return blocks;
}

void handle(Core& core, const BlocksGivenBack& event) {
  if (!is_present(core, event.agent) || agent_of(core, event.agent).duty == Duty::dismissed) return;
  std::vector<BlockIndex> blocks = held_of(core, event.agent, event.blocks);
  if (blocks.empty() && agent_of(core, event.agent).duty == Duty::leaving) return;  // said before
  part_with(core, event.agent, std::move(blocks), Duty::leaving);
  core.askers.push_back(event.agent);
}

void handle(Core& core, const BlockDone& event) {
  if (!is_current(core, event.agent, event.block, event.attempt)) return;
  if (block_of(core, event.block).owner != event.agent) return;  // only the leader speaks for a group
  note_seconds(core, event.block, event.seconds);
  take_away(core, event.block);
  conclude(core, event.block);
}

void handle(Core& core, const AttemptFailed& event) {
  if (!is_current(core, event.agent, event.block, event.attempt)) return;
  const bool can_run_again = count_death(core, event.block, event.arm, event.cause);
  take_away(core, event.block);
  if (can_run_again) return return_to_queue(core, event.block);
  core.actions.emplace_back(Conclude{event.block, event.attempt, dropped_arms(core, event.block)});
  conclude(core, event.block);
}

void handle(Core& core, const DeviceLost& event) {
  if (!is_present(core, event.agent) || agent_of(core, event.agent).duty == Duty::dismissed) return;
  dissolve_gatherings(core);
  forget_device(core, event.agent, event.device);
  core.lost_devices[event.device] = event.reason;
  take_back(core, held_of(core, event.agent, event.blocks));
  go_on_without_devices(core);
  core.askers.push_back(event.agent);
  core.idle_may_have_work = true;
}

void handle(Core& core, const DrainRequested&) {
  if (core.drained) return;
  core.drained = true;
  dissolve_gatherings(core);
  for (std::uint32_t i = 0; i < core.agents.size(); ++i) core.askers.push_back({i});
}

bool is_finished(const Core& core) {
  if (core.running > 0) return false;
  if (core.waiting == 0 || core.drained) return true;
  // Only agents that went away could hold the remaining blocks, or there is not enough time for them.
  return all_joined(core) && !some_may_begin(core);
}

void dismiss(Core& core, AgentId id) {
  retire(core, id, Duty::dismissed);
  core.actions.emplace_back(Dismiss{id});
}

void dismiss_if_done(Core& core, AgentId id) {
  const AgentState& agent = agent_of(core, id);
  const bool on_duty = agent.duty != Duty::absent && agent.duty != Duty::dismissed;
  if (on_duty && agent.held.empty() && (core.drained || agent.duty == Duty::leaving)) dismiss(core, id);
}

/// More may ask meanwhile.
void feed_askers(Core& core) {
  for (; core.fed < core.askers.size(); ++core.fed) feed(core, core.askers[core.fed]);
}

/// Lines up the next block that runs alone, once nothing runs and nothing else may begin. One that cannot begin either
/// stays in its queue, and the one behind it is next.
void begin_alone(Core& core) {
  if (core.drained || !all_joined(core)) return;
  while (!core.alone.empty() && core.running == 0 && !some_may_begin(core)) {
    const BlockIndex block = core.alone.front();
    core.alone.pop_front();
    push_fresh(queue_of(core, block_of(core, block).demand_class), block, line_key(core, block));
    core.refused = false;
    refuse_what_nobody_can_hold(core);
    feed_idle(core);
    feed_askers(core);
  }
}

/// Ends an event: hands out work, then lets go whoever will get none.
void settle(Core& core) {
  feed_askers(core);
  const bool may_be_shorter = has_end(core) && core.running == 0;  // than it seemed when it did not fit
  if (core.idle_may_have_work || may_be_shorter) feed_idle(core);
  feed_askers(core);
  begin_alone(core);
  for (AgentId id : core.askers) dismiss_if_done(core, id);
  core.askers.clear();
  core.fed = 0;
  core.idle_may_have_work = false;
  if (core.on_duty == 0 || !is_finished(core)) return;
  for (std::uint32_t i = 0; i < core.agents.size(); ++i) {
    const Duty duty = core.agents[i].duty;
    if (duty != Duty::absent && duty != Duty::dismissed) dismiss(core, {i});
  }
}

}  // namespace

Scheduler::Scheduler(std::vector<BlockRequest> requests, Options options) : state_(std::make_unique<State>()) {
  state_->options = options;
  enqueue(*state_, std::move(requests));
}

Scheduler::~Scheduler() = default;

std::vector<Action> Scheduler::on(const Event& event, double now_seconds) {
  Core& core = *state_;
  core.now_seconds = now_seconds;  // may jump, back too
  std::visit([&core](const auto& what) { handle(core, what); }, event);
  settle(core);
  return std::exchange(core.actions, {});
}

std::size_t Scheduler::waiting() const { return state_->waiting; }
std::size_t Scheduler::running() const { return state_->running; }
std::size_t Scheduler::concluded() const { return state_->concluded; }
bool Scheduler::finished() const { return is_finished(*state_); }

}  // namespace regatta::schedule
