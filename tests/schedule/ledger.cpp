#include "ledger.hpp"

#include <gtest/gtest.h>

#include <algorithm>

namespace regatta::schedule::testing {

using State = LedgerBlock::State;

bool slot_fits(const Slot& slot, const sweep::Demand& demand) {
  return slot.cores >= demand.cores && std::ranges::find(slot.devices, demand.device) != slot.devices.end();
}

Ledger::Ledger(const std::vector<BlockRequest>& jobs, Options options) : options_(options) {
  for (const BlockRequest& job : jobs) {
    blocks[job.block].job = job;
    has_groups_ |= job.demand.ranks > 1;
  }
}

bool Ledger::is_current(AgentId agent, BlockIndex index, AttemptId attempt) const {
  const LedgerBlock& block = blocks.at(index);
  return block.state == State::running && block.attempt == attempt && std::ranges::count(block.owners, agent) == 1;
}

void Ledger::release(BlockIndex index, State state) {
  LedgerBlock& block = blocks.at(index);
  for (AgentId owner : block.owners) {
    if (agents.contains(owner)) agents.at(owner).held.erase(index);
  }
  block.owners.clear();
  block.state = state;
}

void Ledger::note(const AgentJoined& event) {
  agents.try_emplace(event.slot.agent, LedgerAgent{event.slot, false, false, {}});
  ever_joined_.try_emplace(event.slot.agent, event.slot);
  go_on_without_devices();
}

void Ledger::go_on_without_devices() {
  if (ever_joined_.size() < options_.expected_agents) return;
  for (auto& [index, block] : blocks) {
    sweep::DeviceKind& device = block.job.demand.device;
    const auto has = [&](const auto& agent) { return std::ranges::count(agent.second.devices, device) > 0; };
    if (device == sweep::DeviceKind::cpu || std::ranges::any_of(ever_joined_, has)) continue;
    block.without_device = true;
    device = sweep::DeviceKind::cpu;
  }
}

void Ledger::drop_arms_of_device(LedgerBlock& block) {
  for (const auto& [arm, on_device] : block.died_on_device) {
    if (on_device && std::ranges::count(block.dropped, arm) == 0) block.dropped.push_back(arm);
  }
}

void Ledger::note(const DeviceLost& event) {
  if (!agents.contains(event.agent)) return;
  std::erase(agents.at(event.agent).slot.devices, event.device);
  std::erase(ever_joined_.at(event.agent).devices, event.device);
  for (BlockIndex block : event.blocks) {
    if (std::ranges::count(blocks.at(block).owners, event.agent) == 1) release(block, State::waiting);
  }
  go_on_without_devices();
}

void Ledger::note(const AgentLeft& event) {
  if (!agents.contains(event.agent)) return;
  const std::set<BlockIndex> held = agents.at(event.agent).held;
  for (BlockIndex block : held) release(block, State::waiting);
  agents.erase(event.agent);
}

void Ledger::note(const BlockDone& event) {
  if (is_current(event.agent, event.block, event.attempt) && blocks.at(event.block).owners.front() == event.agent) {
    release(event.block, State::over);
  }
}

void Ledger::note(const AttemptFailed& event) {
  if (!is_current(event.agent, event.block, event.attempt)) return;
  LedgerBlock& block = blocks.at(event.block);
  block.died_on_device[event.arm] = event.cause.on_device;
  if (++block.deaths[event.arm] == options_.attempts) block.dropped.push_back(event.arm);
  if (block.dropped.size() == block.job.arms) to_conclude_ = event.block;
  release(event.block, State::waiting);
}

void Ledger::note(const BlocksGivenBack& event) {
  if (!agents.contains(event.agent)) return;
  agents.at(event.agent).leaving = true;
  for (BlockIndex block : event.blocks) {
    if (std::ranges::count(blocks.at(block).owners, event.agent) == 1) release(block, State::waiting);
  }
}

void Ledger::note(const DrainRequested&) { drained = true; }

void Ledger::accept(const Grant& grant) {
  EXPECT_FALSE(drained) << "a grant after the drain";
  ASSERT_FALSE(grant.agents.empty());
  EXPECT_TRUE(std::ranges::is_sorted(grant.agents));
  EXPECT_GE(grant.count, 1U);
  EXPECT_LE(grant.count, options_.batch);
  for (AgentId agent : grant.agents) {
    ASSERT_TRUE(agents.contains(agent)) << "granted to agent " << agent.value << ", which is not there";
    EXPECT_FALSE(agents.at(agent).leaving) << "granted to agent " << agent.value << ", which leaves";
    for (BlockIndex held : agents.at(agent).held) {
      EXPECT_EQ(blocks.at(held).owners.size(), 1U) << "more work for a member of a running group";
    }
    if (grant.agents.size() > 1) {
      EXPECT_TRUE(agents.at(agent).held.empty()) << "a group with a busy agent";
    }
    EXPECT_LE(agents.at(agent).held.size(), options_.outstanding);
  }
  for (std::uint32_t i = 0; i < grant.count; ++i) accept_block(grant, {grant.first.value + i});
}

void Ledger::accept_block(const Grant& grant, BlockIndex index) {
  ASSERT_TRUE(blocks.contains(index)) << "block " << index.value << " does not exist";
  LedgerBlock& block = blocks.at(index);
  ASSERT_EQ(block.state, State::waiting) << "block " << index.value << " was granted while it runs or after its end";
  EXPECT_TRUE(ends_in_time(block.job)) << "block " << index.value << " was granted with too little time left";
  EXPECT_EQ(grant.attempt.value, block.attempt.value + 1);
  EXPECT_TRUE(grant.count == 1 || (grant.attempt.value == 1 && grant.agents.size() == 1));
  EXPECT_EQ(static_cast<std::int64_t>(grant.agents.size()), block.job.demand.ranks);
  EXPECT_EQ(!grant.without_device.empty(), block.without_device);
  if (block.without_device) drop_arms_of_device(block);
  std::vector<ArmIndex> dropped;
  for (const auto& [arm, cause] : grant.dropped) {
    dropped.push_back(arm);
    EXPECT_NE(cause.message.find(std::to_string(block.deaths.at(arm)) + " attempt"), std::string::npos)
        << cause.message;
  }
  EXPECT_EQ(dropped, block.dropped);
  block.attempt = grant.attempt;
  block.state = State::running;
  block.owners = grant.agents;
  for (AgentId agent : grant.agents) {
    EXPECT_TRUE(slot_fits(agents.at(agent).slot, block.job.demand)) << "agent " << agent.value << " cannot hold it";
    agents.at(agent).held.insert(index);
  }
}

void Ledger::accept(const Conclude& conclude) {
  LedgerBlock& block = blocks.at(conclude.block);
  if (block.state == State::waiting && block.without_device) {
    drop_arms_of_device(block);
    EXPECT_EQ(block.dropped.size(), block.job.arms) << "concluded a block that has arms left";
  } else {
    ASSERT_EQ(to_conclude_, conclude.block) << "concluded a block that has arms left";
  }
  EXPECT_EQ(conclude.dropped.size(), blocks.at(conclude.block).job.arms);
  EXPECT_EQ(conclude.attempt, blocks.at(conclude.block).attempt);
  release(conclude.block, State::over);
  to_conclude_.reset();
}

void Ledger::accept(const Refuse& refuse) {
  LedgerBlock& block = blocks.at(refuse.block);
  EXPECT_EQ(block.state, State::waiting);
  EXPECT_GE(ever_joined_.size(), options_.expected_agents) << "refused before everyone had joined";
  const auto able =
      std::ranges::count_if(ever_joined_, [&](const auto& agent) { return slot_fits(agent.second, block.job.demand); });
  EXPECT_LT(able, block.job.demand.ranks) << "refused a block that the job could hold";
  EXPECT_FALSE(refuse.skip.reason.empty());
  release(refuse.block, State::over);
}

void Ledger::accept(const Dismiss& dismiss) {
  ASSERT_TRUE(agents.contains(dismiss.agent));
  LedgerAgent& agent = agents.at(dismiss.agent);
  EXPECT_FALSE(agent.dismissed) << "dismissed twice";
  EXPECT_TRUE(agent.held.empty()) << "dismissed while it holds blocks";
  agent.dismissed = agent.leaving = true;
}

bool Ledger::ends_in_time(const BlockRequest& job, double times) const {
  constexpr double likely_factor = 1.9;
  return now_seconds_ + times * likely_factor * job.estimate.seconds * job.estimate.least_share <= options_.end_seconds;
}

std::int64_t Ledger::able_to_hold(const sweep::Demand& demand) const {
  return std::ranges::count_if(
      agents, [&](const auto& agent) { return !agent.second.leaving && slot_fits(agent.second.slot, demand); });
}

void Ledger::check_counts(const Scheduler& scheduler) const {
  const auto in = [&](State state) {
    return static_cast<std::size_t>(
        std::ranges::count_if(blocks, [&](const auto& entry) { return entry.second.state == state; }));
  };
  EXPECT_EQ(scheduler.waiting(), in(State::waiting));
  EXPECT_EQ(scheduler.running(), in(State::running));
  EXPECT_EQ(scheduler.concluded(), in(State::over));
  if (scheduler.finished()) {
    EXPECT_EQ(in(State::running), 0U);
    for (const auto& [id, agent] : agents) EXPECT_TRUE(agent.dismissed) << "agent " << id.value << " was left standing";
  }
}

/// With groups an agent may stand idle until the others of its group are there; but then something runs.
void Ledger::check_nobody_idles() const {
  if (drained) return;
  bool something_runs = false;
  std::set<std::pair<std::int64_t, std::int64_t>> idle_slots;  // cores, device
  for (const auto& [id, agent] : agents) {
    something_runs |= !agent.held.empty();
    if (agent.leaving || !agent.held.empty()) continue;
    for (sweep::DeviceKind device : agent.slot.devices) idle_slots.emplace(agent.slot.cores, static_cast<int>(device));
  }
  if (idle_slots.empty() || (has_groups_ && something_runs)) return;
  for (const auto& [index, block] : blocks) {
    if (block.state != State::waiting || able_to_hold(block.job.demand) < block.job.demand.ranks) continue;
    if (!ends_in_time(block.job, 2)) continue;  // one that stands behind a longer one
    if (block.job.demand.ranks > 1 && ever_joined_.size() < options_.expected_agents) continue;  // a node may fill up
    for (const auto& [cores, device] : idle_slots) {
      EXPECT_FALSE(cores >= block.job.demand.cores && device == static_cast<int>(block.job.demand.device))
          << "an agent idles while block " << index.value << ", which it can hold, waits";
    }
  }
}

void Ledger::check(const Event& event, double now_seconds, const std::vector<Action>& actions,
                   const Scheduler& scheduler) {
  now_seconds_ = now_seconds;
  std::visit([this](const auto& what) { note(what); }, event);
  for (const Action& action : actions) std::visit([this](const auto& what) { accept(what); }, action);
  EXPECT_FALSE(to_conclude_.has_value()) << "a block without arms was not concluded";
  check_counts(scheduler);
  check_nobody_idles();
}

void Ledger::check_end() const {
  for (const auto& [index, block] : blocks) {
    EXPECT_NE(block.state, State::running) << "block " << index.value;
    if (block.state != State::waiting || drained || !ends_in_time(block.job, 2)) continue;
    EXPECT_LT(able_to_hold(block.job.demand), block.job.demand.ranks) << "block " << index.value << " was forgotten";
  }
}

}  // namespace regatta::schedule::testing
