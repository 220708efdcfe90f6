#include "simulation/rank_zero.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>
#include <optional>
#include <utility>
#include <variant>

#include "ranks/recorder.hpp"
#include "regatta/protocol/codec.hpp"
#include "simulation/forgetful_file.hpp"

namespace regatta::scale {
namespace {

constexpr double never = std::numeric_limits<double>::infinity();
constexpr double last_sleep_seconds = 1e-3;
constexpr double wait_unit_seconds = 1e-5;

results::StoreFiles forgetful_files(std::uint64_t& syncs) {
  return {std::make_unique<ForgetfulFile>(syncs), std::make_unique<ForgetfulFile>(syncs)};
}

std::size_t bytes_of(const protocol::Frame& frame) { return frame.header.size() + frame.payload.size(); }

}  // namespace

RankZero::RankZero(World& world, Gangs& gangs, Ports ports)
    : world_(world),
      gangs_(gangs),
      ports_(std::move(ports)),
      store_(forgetful_files(file_syncs_), world.job.sweep, world.job.plan, {}),
      coordinator_(world.job.sweep, world.job.plan, {}, {}, world.setup.machine.agents),
      progress_(world.job, {}, {}, {}),
      last_sent_seconds_(world.setup.machine.agents, 0) {}

void RankZero::start() { after(0, &RankZero::greet); }

void RankZero::greet() {
  const double cost =
      world_.meter([&] { coordinator_.receive({0}, ready_of(0, world_.setup.mix), first_wall_seconds); });
  after(cost, &RankZero::look);
}

void RankZero::after(double seconds, Then then) {
  world_.time.after(seconds, [this, then] { (this->*then)(); });
}

void RankZero::signal() {
  signalled_ = seat_.signalled = true;
  stir();
}

void RankZero::arrive(AgentId from, protocol::Frame frame) {
  depths_.add(inbox_.size());
  inbox_.push_back({from, std::move(frame), world_.time.now()});
  stir();
}

// ---- the hub: message_router.cpp ----

void RankZero::turn(Then then) {
  then_ = then;
  taken_ = 0;
  turn_goes_on();
}

void RankZero::turn_goes_on() {
  if (signalled_ && !std::exchange(draining_, true)) {
    const double cost = world_.meter([&] { coordinator_.drain(); });
    cpu_seconds_ += cost;
    return after(cost, &RankZero::turn_goes_on);
  }
  if (inbox_.empty()) return turn_ends();
  ++taken_;
  const double cost = take_message();
  cpu_seconds_ += cost;
  after(cost, &RankZero::turn_goes_on);
}

double RankZero::take_message() {
  const Waiting message = std::move(inbox_.front());
  inbox_.pop_front();
  ++world_.found.messages;
  waits_.add(static_cast<std::size_t>((world_.time.now() - message.since_seconds) / wait_unit_seconds));
  double cost = linked(world_.setup.machine.link.receive.of(bytes_of(message.frame)));
  std::optional<protocol::AgentReply> reply;
  cost += measured(parts_.parse_seconds, [&] { reply = protocol::parse_agent_reply(message.frame); });
  cost += measured(parts_.dispatch_seconds, [&] {
    coordinator_.receive(message.from, *std::move(reply), first_wall_seconds + world_.time.now());
  });
  return cost;
}

double RankZero::measured(double& part, const std::function<void()>& work) {
  const double seconds = world_.meter(work);
  part += seconds;
  return seconds;
}

double RankZero::linked(double seconds) {
  parts_.link_seconds += seconds;
  return seconds;
}

void RankZero::turn_ends() {
  const bool has_nothing = taken_ == 0 && !has_work();
  has_told_ = false;
  double cost = linked(world_.setup.machine.link.probe_seconds);
  cost = record(cost);
  cost = send_all(cost);
  cost = show(cost);
  cpu_seconds_ += cost;
  if (has_nothing) {
    ++empty_turns_;
    empty_turn_seconds_ += (cost - empty_turn_seconds_) / static_cast<double>(empty_turns_);
  }
  after(cost, then_);
}

double RankZero::record(double cost) {
  std::vector<results::GrantedRecord> grants;
  std::vector<dispatch::StoreRecord> records;
  cost += measured(parts_.store_seconds, [&] {
    grants = coordinator_.take_grants();
    for (const results::GrantedRecord& grant : grants) store_.granted(grant.block, {grant.agent}, {grant.attempt});
    records = coordinator_.take_records();
    for (const dispatch::StoreRecord& each : records) launcher::put(store_, each);
  });
  world_.found.decisions += grants.size();
  for (const dispatch::StoreRecord& each : records) {
    const auto* block = std::get_if<dispatch::BlockToStore>(&each);
    if (block != nullptr && ++records_of_[block->record.block] == 2) ++world_.found.recorded_twice;
  }
  written_ += records.size();
  if (!syncing_ && written_ > durable_) begin_sync();
  told_durable_ = durable_;
  return cost + measured(parts_.dispatch_seconds, [&] { coordinator_.durable(told_durable_); });
}

/// One at a time, as launcher::SyncThread does; what is written meanwhile goes into the next.
void RankZero::begin_sync() {
  syncing_ = true;
  const std::uint64_t records = written_;
  const std::uint64_t before = file_syncs_;
  double seconds = world_.meter([&] { store_.sync(); });
  seconds += static_cast<double>(file_syncs_ - before) * world_.setup.machine.sync_seconds;
  sync_seconds_ += seconds;
  ++world_.found.syncs;
  world_.time.after(seconds, [this, records] {
    durable_ = records;
    stir();
  });
  world_.time.after(std::max(seconds, launcher::syncs_apart_seconds), [this] {
    syncing_ = false;
    if (written_ > durable_) begin_sync();
  });
}

double RankZero::send_all(double cost) {
  for (dispatch::Outbound& outbound : coordinator_.take_messages()) {
    world_.found.decisions += std::holds_alternative<protocol::Finish>(outbound.message) ? 1 : 0;
    if (outbound.to.value == 0)
      own_inbox_.push_back(std::move(outbound.message));
    else
      cost = send(std::move(outbound), cost);
  }
  return cost;
}

double RankZero::send(dispatch::Outbound outbound, double cost) {
  protocol::Frame frame;
  cost += measured(parts_.pack_seconds, [&] { frame = protocol::to_packed(outbound.message); });
  cost += linked(world_.setup.machine.link.send.of(bytes_of(frame)));
  ++world_.found.messages;
  double& last = last_sent_seconds_[outbound.to.value];
  last = std::max(last, world_.time.now() + cost + world_.way_seconds());
  world_.time.at(last,
                 [this, to = outbound.to, sent = std::move(frame)]() mutable { ports_.to_agent(to, std::move(sent)); });
  return cost;
}

double RankZero::show(double cost) {
  const dispatch::News news = coordinator_.take_news();
  if (world_.setup.machine.shows_progress)
    cost += measured(parts_.progress_seconds, [&] { progress_.show(coordinator_.progress(), news); });
  for (const dispatch::BlockNews& each : news.done) world_.found.decisions += each.agent ? 0 : 1;
  if (!news.done.empty()) ports_.blocks_done(coordinator_.progress().blocks_done);
  return cost;
}

// ---- its agent: agent.cpp, and rank.cpp for its end ----

void RankZero::look() { turn(&RankZero::looked); }

void RankZero::looked() {
  if (!own_inbox_.empty()) return hear_own();
  if (!seat_.gang) hear_signal(seat_);
  if (seat_.gang) return slice_goes_on();
  after(send_own(), &RankZero::go_on);
}

void RankZero::go_on() {
  if (seat_.turn.done()) return finish();
  at_ = 0;
  if (begin_lot(world_, seat_)) return run_next();
  const double longest = world_.setup.machine.longest_sleep_seconds;
  const double shortest = std::min(shortest_sleep_seconds, longest);
  idle_sleep_seconds_ = std::exchange(news_, false) ? shortest : std::clamp(2 * idle_sleep_seconds_, shortest, longest);
  sleep(idle_sleep_seconds_, longest, never, &RankZero::look);
}

void RankZero::hear_own() {
  protocol::AgentRequest request = std::move(own_inbox_.front());
  own_inbox_.pop_front();
  news_ = true;
  if (const auto* grant = std::get_if<protocol::Grant>(&request); grant != nullptr && !grant->gang.empty()) {
    join_gang(seat_, *grant);
    block_end_seconds_ = never;
    const std::vector<AgentId> members = gangs_.arrive(*grant);
    if (!members.empty()) ports_.gang_begins(members, *seat_.gang);
    return look();
  }
  after(world_.meter([&] { seat_.turn.receive(std::move(request)); }), &RankZero::look);
}

/// Sends the messages of rank 0's own agent; returns the cost for the coordinator.
double RankZero::send_own() {
  double cost = 0;
  for (protocol::AgentReply& reply : seat_.turn.take_messages()) {
    has_told_ = true;
    if (const auto* given = std::get_if<protocol::GivenBack>(&reply)) world_.found.returned += given->blocks.size();
    cost += measured(parts_.dispatch_seconds,
                     [&] { coordinator_.receive({0}, std::move(reply), first_wall_seconds + world_.time.now()); });
  }
  cpu_seconds_ += cost;
  return cost;
}

void RankZero::run_next() {
  const double seconds = seat_.attempts[at_].seconds;
  world_.worked.add(0, world_.time.now(), seconds);
  block_end_seconds_ = world_.time.now() + seconds;
  slice_goes_on();
}

/// The chores of a wait for a worker.
void RankZero::slice_goes_on() {
  const double now = world_.time.now();
  if (now >= block_end_seconds_) return block_ends();
  if (now < next_turn_seconds_) return slice_sleeps();
  next_turn_seconds_ = now + world_.setup.machine.turn_seconds;
  turn(&RankZero::slice_sleeps);
}

void RankZero::slice_sleeps() {
  if (world_.time.now() >= block_end_seconds_) return block_ends();
  const double interval = world_.setup.machine.turn_seconds;
  sleep(interval, interval, block_end_seconds_, &RankZero::slice_goes_on);
}

void RankZero::in_gang(double end_seconds) {
  block_end_seconds_ = end_seconds;
  if (sleep_.now) world_.time.at(end_seconds, [this, number = sleep_.number] { wake(number); });
}

void RankZero::block_ends() {
  if (seat_.gang) {
    end_gang(world_, seat_);
  } else if (++at_ < seat_.lot.size()) {
    return run_next();
  } else {
    end_lot(world_, seat_);
  }
  after(send_own(), &RankZero::look);
}

void RankZero::finish() { turn(&RankZero::finish_goes_on); }

void RankZero::finish_goes_on() {
  left_ = coordinator_.done();
  if (!left_) sleep(last_sleep_seconds, last_sleep_seconds, never, &RankZero::finish);
}

// ---- sleep ----

bool RankZero::has_work() const {
  const bool is_to_drain = seat_.signalled && !seat_.draining && !seat_.gang;
  return !inbox_.empty() || has_told_ || durable_ > told_durable_ || (signalled_ && !draining_) || is_to_drain;
}

void RankZero::sleep(double first_seconds, double longest_seconds, double end, Then then) {
  sleep_ = {sleep_.number + 1, true, false, world_.time.now(), first_seconds, longest_seconds, then};
  if (end < never) world_.time.at(end, [this, number = sleep_.number] { wake(number); });
  if (has_work()) stir();
}

void RankZero::stir() {
  if (!sleep_.now || std::exchange(sleep_.stirred, true)) return;
  const double at = next_look(sleep_.from_seconds, sleep_.first_seconds, sleep_.longest_seconds, world_.time.now());
  world_.time.at(at, [this, number = sleep_.number] { wake(number); });
}

/// Looks in between found nothing: they cost as much as such a look has cost.
void RankZero::wake(std::uint64_t number) {
  if (!sleep_.now || number != sleep_.number) return;
  sleep_.now = false;
  const double looks = std::floor((world_.time.now() - sleep_.from_seconds) / sleep_.longest_seconds);
  if (looks > 1) cpu_seconds_ += (looks - 1) * empty_turn_seconds_;
  (this->*sleep_.then)();
}

void RankZero::tell(Found& found) const {
  found.cpu_seconds = cpu_seconds_;
  found.parts = parts_;
  found.sync_share = sync_seconds_;
  found.inbox = {depths_.quantile(0.5), depths_.quantile(0.99), depths_.quantile(1)};
  found.wait_p50_seconds = wait_unit_seconds * static_cast<double>(waits_.quantile(0.5));
  found.wait_p99_seconds = wait_unit_seconds * static_cast<double>(waits_.quantile(0.99));
}

}  // namespace regatta::scale
