#include "regatta/dispatch/agent_turn.hpp"

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
  for (std::uint32_t i = 0; i < grant.count; ++i) {
    sweep::BlockTask& task = queue_.emplace_back(std::move(grant.tasks.at(i)));
    task.block = {grant.first.value + i};
    task.attempt = grant.attempt;
    task.dropped = grant.dropped;
    task.without_device = grant.without_device;
    task.gang = grant.gang;
    task.tour = grant.tour ? grant.tour->number : 0;
  }
  tour_to_come_ = grant.tour ? grant.tour->to_come : 0;
  if (lost_) {  // granted before the coordinator knew
    if (auto blocks = take_device_blocks(); !blocks.empty())
      messages_.emplace_back(protocol::DeviceLost{lost_->kind, lost_->reason, std::move(blocks)});
  }
  if (draining_) give_back();
}

/// The leader of a gang speaks for it.
bool AgentTurn::may_give_back(const sweep::BlockTask& task) const {
  return task.gang.empty() || task.gang.front() == own_;
}

/// Blocks that have not begun and are wanted so.
std::vector<BlockIndex> AgentTurn::take_back(const std::function<bool(const sweep::BlockTask&)>& wanted) {
  std::vector<BlockIndex> blocks;
  std::erase_if(queue_, [&](sweep::BlockTask& task) {
    if (!may_give_back(task) || !wanted(task)) return false;
    blocks.push_back(task.block);
    if (!task.gang.empty()) gangs_left_.push_back({std::move(task.gang), task.block, task.attempt});
    return true;
  });
  return blocks;
}

void AgentTurn::drain() {
  draining_ = true;
  give_back();
}

void AgentTurn::lose_device(sweep::DeviceKind kind, const std::string& reason) {
  lost_ = {kind, reason, {}};
  messages_.emplace_back(protocol::DeviceLost{kind, reason, take_device_blocks()});
}

/// Blocks that ask for the lost device.
std::vector<BlockIndex> AgentTurn::take_device_blocks() {
  return take_back([&](const sweep::BlockTask& task) { return asks_for(task, lost_->kind); });
}

void AgentTurn::give_back() {
  auto blocks = take_back([](const sweep::BlockTask&) { return true; });
  if (!blocks.empty()) messages_.emplace_back(protocol::GivenBack{std::move(blocks)});
}

std::size_t AgentTurn::room() const {
  return most_unacknowledged - std::min(unacknowledged_.size(), most_unacknowledged);
}

std::optional<sweep::BlockTask> AgentTurn::next() {
  if (queue_.empty() || room() == 0) return std::nullopt;
  sweep::BlockTask task = std::move(queue_.front());
  queue_.pop_front();
  return task;
}

/// Whether the tour that is next is not whole yet: it is the last thing that was granted.
bool AgentTurn::waits_for_more() const { return tour_to_come_ > 0 && queue_.front().tour == queue_.back().tour; }

std::vector<sweep::BlockTask> AgentTurn::take_tour() {
  std::vector<sweep::BlockTask> tour;
  const std::uint32_t number = queue_.front().tour;
  if (waits_for_more() || room() == 0) return tour;
  while (!queue_.empty() && queue_.front().tour == number) {
    tour.push_back(std::move(queue_.front()));
    queue_.pop_front();
  }
  return tour;
}

std::vector<sweep::BlockTask> AgentTurn::next_lot(std::size_t at_most,
                                                  const std::function<bool(const sweep::BlockTask&)>& go_together) {
  if (!queue_.empty() && queue_.front().tour > 0) return take_tour();
  std::vector<sweep::BlockTask> lot;
  const std::size_t most = std::min(at_most, room());
  while (lot.size() < most) {
    const bool is_alone = !queue_.empty() && (queue_.front().tour > 0 || !go_together(queue_.front()));
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
  const auto* result = std::get_if<protocol::BlockResult>(&outcome);
  if (result != nullptr && !result->goes_on) unacknowledged_.emplace(result->block, result->attempt);
  messages_.push_back(std::move(outcome));
}

}  // namespace regatta::dispatch
