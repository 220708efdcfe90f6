#include "regatta/dispatch/agent_turn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <variant>

namespace regatta::dispatch {
namespace {

constexpr std::size_t most_unacknowledged = 1024;

bool asks_for(const sweep::BlockTask& task, sweep::DeviceKind kind) {
  return task.without_device.empty() && std::any_of(task.arms.begin(), task.arms.end(), [kind](const auto& arm) {
           return sweep::device_kind_of(arm.parameters) == kind;
         });
}

}  // namespace

void AgentTurn::receive(protocol::AgentRequest message) {
  std::visit([&](auto& kind) { handle(kind); }, message);
}

void AgentTurn::handle(protocol::Grant& grant) {
  if (!grant.gang.empty()) return refuse_gang(grant);
  for (std::uint32_t i = 0; i < grant.count; ++i) {
    sweep::BlockTask& task = queue_.emplace_back(std::move(grant.tasks.at(i)));
    task.block = {grant.first.value + i};
    task.attempt = grant.attempt;
    task.dropped = grant.dropped;
    task.without_device = grant.without_device;
  }
  if (lost_) {  // granted before the coordinator knew
    if (auto blocks = take_device_blocks(); !blocks.empty())
      messages_.emplace_back(protocol::DeviceLost{lost_->kind, lost_->reason, std::move(blocks)});
  }
  if (draining_) give_back();
}

// Its leader speaks for a gang. Alone it would wait for the others for ever, or pass for all of them.
void AgentTurn::refuse_gang(const protocol::Grant& grant) {
  if (grant.gang.front() != own_) return;
  messages_.emplace_back(protocol::AttemptFailed{
      grant.first,
      grant.attempt,
      {0},
      sweep::FailureKind::could_not_start,
      fmt::format(
          "needs {} agents at once, and agents of this version run alone; leave `ranks` above 1 out of the sweep",
          grant.gang.size())});
}

void AgentTurn::drain() {
  draining_ = true;
  give_back();
}

void AgentTurn::lose_device(sweep::DeviceKind kind, const std::string& reason) {
  lost_ = {kind, reason, {}};
  messages_.emplace_back(protocol::DeviceLost{kind, reason, take_device_blocks()});
}

/// Blocks that have not begun and ask for the lost device.
std::vector<BlockIndex> AgentTurn::take_device_blocks() {
  std::vector<BlockIndex> blocks;
  std::erase_if(queue_, [&](const sweep::BlockTask& task) {
    if (!asks_for(task, lost_->kind)) return false;
    blocks.push_back(task.block);
    return true;
  });
  return blocks;
}

void AgentTurn::give_back() {
  if (queue_.empty()) return;
  protocol::GivenBack given;
  for (const sweep::BlockTask& task : queue_) given.blocks.push_back(task.block);
  queue_.clear();
  messages_.emplace_back(std::move(given));
}

std::optional<sweep::BlockTask> AgentTurn::next() {
  if (queue_.empty() || unacknowledged_.size() >= most_unacknowledged) return std::nullopt;
  sweep::BlockTask task = std::move(queue_.front());
  queue_.pop_front();
  return task;
}

std::vector<sweep::BlockTask> AgentTurn::next_lot(std::size_t at_most,
                                                  const std::function<bool(const sweep::BlockTask&)>& go_together) {
  std::vector<sweep::BlockTask> lot;
  const std::size_t room = most_unacknowledged - std::min(unacknowledged_.size(), most_unacknowledged);
  while (lot.size() < std::min(at_most, room)) {
    const bool is_alone = !queue_.empty() && !go_together(queue_.front());
    if (is_alone && !lot.empty()) break;
    auto task = next();
    if (!task) break;
    lot.push_back(*std::move(task));
    if (is_alone) break;
  }
  return lot;
}

bool AgentTurn::done() const { return finish_ && unacknowledged_.empty(); }

void AgentTurn::ran(protocol::AgentReply outcome) {
  if (const auto* result = std::get_if<protocol::BlockResult>(&outcome))
    unacknowledged_.emplace(result->block, result->attempt);
  messages_.push_back(std::move(outcome));
}

}  // namespace regatta::dispatch
