#include "session.hpp"

#include <algorithm>
#include <variant>

#include "wire.hpp"

namespace regatta::simulation {
namespace {

constexpr double longest_session_seconds = 3600;
constexpr double largest_jump_seconds = 7200;
constexpr double longest_leave_seconds = 2;  // for a leader that reports a failure

}  // namespace

Session::Session(const sweep::Sweep& sweep, const sweep::Plan& plan, Store& store, const Weather& weather,
                 Random& random)
    : sweep_(sweep),
      plan_(plan),
      store_(store),
      weather_(weather),
      random_(random),
      coordinator_(sweep, plan, {}, store.earlier(), weather.agents) {
  for (std::uint32_t agent = 0; agent < weather.agents; ++agent) {
    agents_.push_back({dispatch::AgentTurn({agent})});
    time_.after(random_.between(0, 0.5), [this, agent] { join(agent); });
  }
  if (weather.drain_seconds) time_.at(*weather.drain_seconds, [this] { drain(); });
  if (weather.crash_seconds) time_.at(*weather.crash_seconds, [this] { end_ = End::crashed; });
}

End Session::run() {
  store_.begin_session();
  while (!end_) {
    if (time_.is_quiet()) throw Violation("nothing happens any more, and the session is not over");
    run_next();
    if (time_.now() > longest_session_seconds) throw Violation("the session takes for ever");
    const bool all_left = std::ranges::all_of(agents_, [](const Agent& agent) { return agent.left; });
    if (!end_ && all_left && coordinator_.done()) end_ = End::finished;
  }
  if (*end_ == End::crashed && syncing_) cut_off_sync();
  store_.crash();  // at any end, changes that are not durable may be lost
  if (*end_ == End::finished) check_end();
  store_.check();
  return *end_;
}

void Session::run_next() {
  try {
    time_.run_next();
  } catch (const StorageError&) {
    end_ = End::disk_failed;
  }
}

/// It got anywhere between its first operation and its last.
void Session::cut_off_sync() {
  try {
    store_.sync(true);
  } catch (const StorageError&) {
    // As it is wanted.
  }
}

void Session::join(std::uint32_t index) {
  agents_[index].joined = true;
  const protocol::AgentReady greeting{"{}", {{static_cast<int>(index)}}, {}};
  to_coordinator(index, packed(protocol::AgentReply(greeting)));
  take_turn(index);
}

/// The signal reaches every rank, in any order; an agent hears it between blocks.
void Session::drain() {
  signalled_ = true;
  time_.after(random_.between(0, 0.5), [this] {
    draining_ = true;
    coordinator_.drain();
    pump();
  });
  for (std::uint32_t index = 0; index < agents_.size(); ++index) {
    time_.after(random_.between(0, 0.5), [this, index] {
      agents_[index].signalled = true;
      take_turn(index);
    });
  }
}

/// Between blocks; while one runs an agent hears nothing.
void Session::take_turn(std::uint32_t index) {
  Agent& agent = agents_[index];
  if (agent.left || agent.busy || !agent.joined) return;
  for (; !agent.inbox.empty(); agent.inbox.pop_front())
    agent.turn.receive(protocol::parse_agent_request(unpacked(agent.inbox.front())));
  if (agent.signalled && !std::exchange(agent.draining, true)) agent.turn.drain();
  send_replies(index);
  for (const dispatch::GangLeft& left : agent.turn.take_gangs_left()) let_go(left.agents, left.block, left.attempt);
  if (const auto granted = agent.turn.next()) return start(index, *granted);
  agent.left = agent.turn.done();
}

void Session::start(std::uint32_t index, const sweep::BlockTask& granted) {
  const bool leads = granted.gang.empty() || granted.gang.front().value == index;
  if (leads && agents_[index].draining) throw Violation("an agent begins a block after it was asked to drain");
  agents_[index].busy = true;
  granted.gang.empty() ? run(index, granted) : meet(index, granted);
}

/// The block begins when all are there; one that its leader gave back has let go whoever comes.
void Session::meet(std::uint32_t index, const sweep::BlockTask& granted) {
  Meeting& meeting = meetings_[{granted.block, granted.attempt}];
  meeting.there.insert(index);
  if (meeting.is_over) return let_go({granted.gang.front(), {index}}, granted.block, granted.attempt);
  if (meeting.there.size() == granted.gang.size()) run(granted.gang.front().value, granted);
}

void Session::let_go(const std::vector<AgentId>& gang, BlockIndex block, AttemptId attempt) {
  Meeting& meeting = meetings_[{block, attempt}];
  meeting.is_over = true;
  for (std::size_t i = 1; i < gang.size(); ++i) {
    if (!meeting.there.contains(gang[i].value)) continue;
    time_.after(random_.between(0, weather_.longest_way), [this, index = gang[i].value] {
      agents_[index].busy = false;
      take_turn(index);
    });
  }
}

void Session::run(std::uint32_t index, const sweep::BlockTask& granted) {
  if (granted.hash != plan_.blocks.at(granted.block.value).hash)
    throw Violation("an agent measures another block than the one it reports");
  time_.after(random_.between(0, weather_.longest_block), [this, index, granted, start = wall_seconds()] {
    if (random_.chance(weather_.clock_jump))
      clock_ahead_seconds_ += random_.between(-largest_jump_seconds, largest_jump_seconds);
    if (!granted.gang.empty() && random_.chance(weather_.silence)) return lose_one_of(granted);
    agents_[index].busy = false;
    agents_[index].turn.ran(agents_[index].signalled ? drained_outcome_of(granted, start) : outcome_of(granted, start));
    send_replies(index);
    if (!granted.gang.empty()) let_go(granted.gang, granted.block, granted.attempt);
    take_turn(index);
  });
}

/// The others of the gang are never let go. Its leader tells the attempt's end, if that arrives in time, and leaves.
void Session::lose_one_of(const sweep::BlockTask& granted) {
  const std::uint32_t leader = granted.gang.front().value;
  ArmIndex arm;
  while (std::ranges::any_of(granted.dropped, [&](const auto& drop) { return drop.arm == arm; })) ++arm.value;
  note_death(granted.block, arm);
  agents_[leader].turn.ran(protocol::AttemptFailed{granted.block, granted.attempt, arm, sweep::FailureKind::timed_out,
                                                   "no answer of rank 1"});
  send_replies(leader);
  lost_an_agent_ = true;
  time_.after(random_.between(0, longest_leave_seconds), [this] { end_ = End::crashed; });
}

/// No square was complete, or some but not all, or the signal changed nothing.
protocol::AgentReply Session::drained_outcome_of(const sweep::BlockTask& granted, double start_wall_seconds) {
  const std::uint64_t how = random_.below(3);
  if (how == 0) return protocol::GivenBack{{granted.block}};
  protocol::AgentReply outcome = outcome_of(granted, start_wall_seconds);
  if (auto* result = std::get_if<protocol::BlockResult>(&outcome)) result->interrupted = how == 1;
  return outcome;
}

void Session::note_death(BlockIndex block, ArmIndex arm) {
  if (++deaths_[{block, arm}] > sweep_.limits.attempts)
    throw Violation("an arm ran again after it had died often enough");
}

/// Whether a worker dies, and while which of the arms that are still run.
bool Session::dies(const sweep::BlockTask& granted, ArmIndex& arm) {
  const std::size_t arms = plan_.blocks.at(granted.block.value).arms.size();
  if (!random_.chance(weather_.death)) return false;
  arm.value = static_cast<std::uint32_t>(random_.below(arms));
  return std::ranges::none_of(granted.dropped, [&](const auto& drop) { return drop.arm == arm; });
}

protocol::AgentReply Session::outcome_of(const sweep::BlockTask& granted, double start_wall_seconds) {
  if (ArmIndex arm; dies(granted, arm)) {
    note_death(granted.block, arm);
    return protocol::AttemptFailed{granted.block, granted.attempt, arm, sweep::FailureKind::crashed, "signal 11"};
  }
  protocol::BlockResult result;
  result.block = granted.block;
  result.attempt = granted.attempt;
  result.start_wall_seconds = start_wall_seconds;
  result.end_wall_seconds = wall_seconds();
  for (std::uint32_t arm = 0; arm < plan_.blocks.at(granted.block.value).arms.size(); ++arm) {
    result.arms.emplace_back().arm = {arm};
    result.arms.back().outcome = sweep::Finished{};
    result.samples.push_back({.slice = granted.block.value, .arm = static_cast<std::uint8_t>(arm)});
  }
  for (const protocol::DroppedArm& drop : granted.dropped) {
    if (deaths_[{granted.block, drop.arm}] != sweep_.limits.attempts)
      throw Violation("an arm is dropped before it died often enough");
    result.arms[drop.arm.value].outcome = sweep::Failed{drop.kind, drop.message};
  }
  return result;
}

void Session::send_replies(std::uint32_t index) {
  for (const protocol::AgentReply& reply : agents_[index].turn.take_messages()) {
    to_coordinator(index, packed(reply));
    if (random_.chance(weather_.repeated)) to_coordinator(index, packed(reply));
  }
}

void Session::to_coordinator(std::uint32_t index, const std::string& bytes) {
  Agent& agent = agents_[index];
  agent.last_sent = std::max(agent.last_sent, time_.now() + random_.between(0, weather_.longest_way));
  time_.at(agent.last_sent, [this, index, bytes] {
    const auto reply = protocol::parse_agent_reply(unpacked(bytes));
    agents_[index].gave_back |= std::holds_alternative<protocol::GivenBack>(reply);
    coordinator_.receive({index}, reply, wall_seconds());
    pump();
  });
}

void Session::pump() {
  const std::vector<results::GrantedRecord> grants = coordinator_.take_grants();
  store_.append(grants, coordinator_.take_records());
  static_cast<void>(coordinator_.take_news());
  for (const dispatch::Outbound& outbound : coordinator_.take_messages()) send(outbound);
  if (!syncing_ && coordinator_.awaits_disk()) begin_sync();
}

void Session::send(const dispatch::Outbound& outbound) {
  Agent& agent = agents_.at(outbound.to.value);
  if (const auto* grant = std::get_if<protocol::Grant>(&outbound.message)) {
    if (draining_) throw Violation("a block is granted after the drain");
    if (agent.gave_back) throw Violation("a block is granted to an agent that gave blocks back");
    if (agent.dismissed) throw Violation("a block is granted to an agent that was dismissed");
    if (grant->count == 0) throw Violation("an empty range is granted");
  }
  agent.dismissed |= std::holds_alternative<protocol::Finish>(outbound.message);
  agent.last_received = std::max(agent.last_received, time_.now() + random_.between(0, weather_.longest_way));
  time_.at(agent.last_received, [this, outbound] { arrive(outbound.to.value, outbound.message); });
}

void Session::arrive(std::uint32_t index, const protocol::AgentRequest& message) {
  if (const auto* ack = std::get_if<protocol::Acknowledge>(&message))
    store_.acknowledged(plan_.blocks.at(ack->block.value).hash, ack->attempt.value);
  if (agents_[index].left && weather_.repeated == 0)
    throw Violation("an agent left before all its results were acknowledged");
  agents_[index].inbox.push_back(packed(message));
  take_turn(index);
}

void Session::begin_sync() {
  syncing_ = true;
  const double seconds = random_.chance(weather_.slow_sync) ? random_.between(0.5, 5) : random_.between(0, 0.01);
  time_.after(seconds, [this, records = store_.appended()] { end_sync(records); });
}

void Session::end_sync(std::uint64_t records) {
  syncing_ = false;
  store_.sync(random_.chance(weather_.failing_sync));
  coordinator_.durable(records);
  pump();
}

void Session::check_end() {
  for (const auto& [agent, blocks] : coordinator_.progress().granted) {
    if (!blocks.empty()) throw Violation("a block is still shown as running");
  }
  if (signalled_ || left_blocks()) return;
  store_.check_complete();
  if (coordinator_.progress().blocks_done != plan_.blocks.size()) throw Violation("the count of done blocks is wrong");
}

}  // namespace regatta::simulation
