#include "ranks/slot_use.hpp"

#include <algorithm>
#include <limits>
#include <variant>

namespace regatta::launcher {

SlotUse::Slot* SlotUse::joined(AgentId agent) {
  return agent.value < slots_.size() && slots_[agent.value].joined ? &slots_[agent.value] : nullptr;
}

template <class Visit>
void SlotUse::each_of(AgentId from, BlockIndex block, bool is_over, const Visit& visit) {
  const auto gang = gangs_.find(block);
  const auto call = [&](AgentId agent) {
    if (Slot* slot = joined(agent); slot != nullptr) visit(*slot);
  };
  if (gang == gangs_.end()) return call(from);
  for (const AgentId agent : gang->second) call(agent);
  if (is_over) gangs_.erase(gang);
}

void SlotUse::end_block(Slot& slot, double now_seconds) {
  if (slot.granted > 0) --slot.granted;
  slot.news_seconds = now_seconds;
}

void SlotUse::took(Slot& slot, const protocol::BlockResult& result, double now_seconds) {
  // Blocks of one lot may overlap: time counts once.
  const double start = std::max(result.start_wall_seconds, slot.last_end_wall_seconds);
  slot.busy_seconds += std::max(0.0, result.end_wall_seconds - start);
  slot.last_end_wall_seconds = std::max(slot.last_end_wall_seconds, result.end_wall_seconds);
  slot.news_seconds = now_seconds;
  if (!result.goes_on) end_block(slot, now_seconds);
}

void SlotUse::heard(AgentId from, const protocol::AgentReply& message, double now_seconds) {
  if (std::holds_alternative<protocol::AgentReady>(message)) {
    if (from.value >= slots_.size()) slots_.resize(from.value + 1);
    Slot& slot = slots_[from.value];
    slot.joined = true;
    slot.joined_seconds = slot.news_seconds = now_seconds;
  }
  const auto give_back = [&](const std::vector<BlockIndex>& blocks) {
    for (const BlockIndex block : blocks)
      each_of(from, block, true, [](Slot& slot) { slot.granted -= std::min<std::size_t>(slot.granted, 1); });
  };
  if (const auto* result = std::get_if<protocol::BlockResult>(&message)) {
    each_of(from, result->block, !result->goes_on, [&](Slot& slot) { took(slot, *result, now_seconds); });
  } else if (const auto* failed = std::get_if<protocol::AttemptFailed>(&message)) {
    each_of(from, failed->block, true, [&](Slot& slot) {
      if (slot.granted > 0) slot.busy_seconds += now_seconds - slot.news_seconds;
      end_block(slot, now_seconds);
    });
  } else if (const auto* given_back = std::get_if<protocol::GivenBack>(&message)) {
    give_back(given_back->blocks);
  } else if (const auto* lost = std::get_if<protocol::DeviceLost>(&message)) {
    give_back(lost->blocks);
  }
}

void SlotUse::told(AgentId to, const protocol::AgentRequest& message, double now_seconds) {
  Slot* slot = joined(to);
  if (slot == nullptr) return;
  if (const auto* grant = std::get_if<protocol::Grant>(&message)) {
    if (slot->granted == 0) slot->news_seconds = now_seconds;
    slot->granted += grant->count;
    if (!grant->gang.empty()) gangs_[grant->first] = grant->gang;
  } else if (std::holds_alternative<protocol::Finish>(message)) {
    slot->left = true;
    slot->left_seconds = now_seconds;
  }
}

IdleShares SlotUse::shares(double now_seconds) const {
  IdleShares shares;
  double all = 0;
  double idle = 0;
  double tail = 0;
  for (const Slot& slot : slots_) {
    if (!slot.joined) continue;
    const double end = slot.left ? slot.left_seconds : now_seconds;
    const double here = end - slot.joined_seconds;
    const double since_news = std::max(0.0, end - slot.news_seconds);
    const double busy = std::min(here, slot.busy_seconds + (slot.granted > 0 ? since_news : 0));
    ++shares.slots;
    all += here;
    idle += here - busy;
    if (slot.granted == 0) tail += std::min(here - busy, since_news);
    if (here > 0) shares.most = std::max(shares.most, (here - busy) / here);
  }
  const double unknown = std::numeric_limits<double>::quiet_NaN();
  shares.mean = all > 0 ? idle / all : unknown;
  shares.tail = all > 0 ? tail / all : unknown;
  if (all <= 0) shares.most = unknown;
  return shares;
}

}  // namespace regatta::launcher
