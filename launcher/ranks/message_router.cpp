// GCC 12 sees an uninitialised vector in the move of a variant that holds one (GCC bug 105562 and kin).
#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#endif

#include "ranks/message_router.hpp"

#include <utility>
#include <variant>

#include "os/drain_signal.hpp"
#include "ranks/ranks.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/log.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::launcher {
namespace {

constexpr double turn_interval_seconds = 0.020;
constexpr AgentId own_agent{0};

}  // namespace

void Hub::deliver(AgentId from, protocol::AgentReply message) {
  if (const auto* failed = std::get_if<protocol::AttemptFailed>(&message)) {
    if (const auto line = failures_.line_for(*failed)) log::warn(*line);
  }
  ++heard_;
  watch_.slots.heard(from, message, steady_seconds());
  coordinator_.receive(from, std::move(message), wall_seconds());
}

void Hub::send_local(const protocol::AgentReply& message) { deliver(own_agent, message); }

void Hub::tell_repeats() {
  for (const std::string& line : failures_.repeats()) log::warn(line);
}

void Hub::note_self() { recorder_.note(watch_.note(steady_seconds(), recorder_.sync_times())); }

/// Notes about this loop itself go with records that are synced anyway.
void Hub::record() {
  recorder_.note(coordinator_.take_grants());
  const std::vector<dispatch::StoreRecord> records = coordinator_.take_records();
  if (!records.empty() && watch_.is_note_due(steady_seconds())) note_self();
  recorder_.write(records);
  coordinator_.durable(recorder_.durable());
}

bool Hub::turn() {
  watch_.loop.turn_begins(steady_seconds());
  if (drain_requested() && !std::exchange(draining_, true)) {
    log::info("draining: blocks end at their next complete square, nothing new is started");
    // The starter of ranks ends them by SIGTERM where one has died: nobody has asked for that.
    if (!termination_requested()) recorder_.note_stop();
    coordinator_.drain();
  }
  bool news = false;
  while (const auto incoming = link_.poll()) {
    if (incoming->channel == Channel::gang)
      gang_inbox_.add({incoming->from, protocol::parse_gang_message(incoming->frame)});
    else
      deliver(incoming->from, protocol::parse_agent_reply(incoming->frame));
    news = true;
  }
  record();
  for (dispatch::Outbound& outbound : coordinator_.take_messages()) {
    news = true;
    watch_.slots.told(outbound.to, outbound.message, steady_seconds());
    if (outbound.to == own_agent) {
      inbox_.push_back(std::move(outbound.message));
    } else {
      link_.send(outbound.to, Channel::coordinator, protocol::to_packed(outbound.message));
    }
  }
  progress_.show(coordinator_.progress(), coordinator_.take_news());
  watch_.loop.turn_ends(steady_seconds(), std::exchange(heard_, 0));
  return news;
}

double Hub::turn_beside_slice(bool other_ranks) {
  const double now = steady_seconds();
  if (now >= next_turn_seconds_) {
    turn();
    next_turn_seconds_ = now + turn_interval_seconds;
  }
  const double sleep_seconds = other_ranks || coordinator_.awaits_disk() ? turn_interval_seconds : 1.0;
  watch_.loop.sleeps_until(now + sleep_seconds);
  return sleep_seconds;
}

std::optional<protocol::AgentRequest> Hub::receive_local() {
  turn();
  return take_first(inbox_);
}

GangInbox& Hub::gang() {
  turn();
  return gang_inbox_;
}

}  // namespace regatta::launcher
