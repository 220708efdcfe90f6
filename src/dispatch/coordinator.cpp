#include "regatta/dispatch/coordinator.hpp"

#include <algorithm>
#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "dispatch/block_records.hpp"
#include "regatta/sweep/processes.hpp"

namespace regatta::dispatch {
namespace {

/// Optional engines are measured after all others, and nothing is explained before it was measured.
std::uint8_t stage_of(const sweep::Sweep& sweep, const sweep::Plan& plan, const sweep::Block& block) {
  if (block.is_intervention()) return 2;
  if (sweep.optional_engines.empty()) return 0;
  return std::ranges::any_of(block.arms, [&](TrialIndex arm) {
    const sweep::Value& engine = plan.trials[arm.value].parameters[sweep::Param::engine];
    return std::ranges::find(sweep.optional_engines, engine) != sweep.optional_engines.end();
  });
}

/// The value of `param` for its smallest arm, where the largest one takes `most`; 0 where all arms take as much.
std::int64_t least_of(sweep::Param param, std::int64_t most, const sweep::Plan& plan, const sweep::Block& block) {
  if (most == 1) return 0;
  std::int64_t least = most;
  for (const TrialIndex arm : block.arms)
    least = std::min(least, integer_or(plan.trials[arm.value].parameters, param, 1));
  return least < most ? least : 0;
}

/// A block that was begun goes on as it began. One that is run again loses none of the arms that ran.
void keep_taken(schedule::BlockRequest& request, const sweep::Demand& taken, bool is_begun) {
  if (is_begun) {
    request.demand.ranks = taken.ranks;
    request.demand.cores = taken.cores;
    request.least_ranks = request.least_cores = 0;
    return;
  }
  const auto raised = [](std::int64_t least, std::int64_t to, std::int64_t most) {
    return least == 0 || to >= most ? 0 : std::max(least, to);
  };
  request.least_ranks = raised(request.least_ranks, taken.ranks, request.demand.ranks);
  request.least_cores = raised(request.least_cores, taken.cores, request.demand.cores);
}

/// Its deaths in earlier sessions; null where there was none.
const results::RankDeaths* deaths_of(const Earlier& earlier, const sweep::Block& block) {
  const auto found = earlier.deaths.find(block.hash);
  const bool is_open = found != earlier.deaths.end() && !earlier.finished.contains(block.hash);
  return is_open && found->second.count > 0 ? &found->second : nullptr;
}

bool is_deadly(const sweep::Sweep& sweep, const results::RankDeaths* deaths) {
  return deaths != nullptr && deaths->was_alone && deaths->count >= sweep.limits.attempts;
}

/// Numbers the tours of those that may run beside others.
void number_tours_of(std::vector<schedule::BlockRequest>& requests, const sweep::Sweep& sweep, const sweep::Plan& plan,
                     std::uint32_t agents) {
  std::vector<sweep::TourCandidate> candidates;
  for (const schedule::BlockRequest& request : requests) {
    if (!request.alone)
      candidates.push_back({request.block, request.demand.cores, request.least_cores, request.least_ranks});
  }
  const std::vector<std::uint32_t> tours = sweep::number_tours(sweep, plan, candidates, agents);
  std::size_t at = 0;
  for (schedule::BlockRequest& request : requests) {
    if (!request.alone) request.tour = tours[at++];
  }
}

std::vector<schedule::BlockRequest> open_blocks(const sweep::Sweep& sweep, const sweep::Plan& plan,
                                                const Earlier& earlier, std::uint32_t agents, const Times& times) {
  std::vector<schedule::BlockRequest> requests;
  for (const sweep::Block& block : plan.blocks) {
    const results::RankDeaths* const deaths = deaths_of(earlier, block);
    if (earlier.finished.contains(block.hash) || is_deadly(sweep, deaths)) continue;
    requests.push_back({block.index, block.demand, static_cast<std::uint32_t>(block.arms.size()),
                        times.estimate ? times.estimate(block) : schedule::Estimate(), stage_of(sweep, plan, block)});
    schedule::BlockRequest& request = requests.back();
    request.least_ranks = least_of(sweep::Param::ranks, block.demand.ranks, plan, block);
    request.least_cores = least_of(sweep::Param::threads, block.demand.cores, plan, block);
    request.alone = deaths != nullptr;
    if (const auto taken = earlier.taken.find(block.hash); taken != earlier.taken.end())
      keep_taken(request, taken->second, earlier.continued.contains(block.hash));
  }
  number_tours_of(requests, sweep, plan, agents);
  return requests;
}

// Short blocks travel in ranges so that an agent never waits for its next one; a few long ones singly.
schedule::Options options_for(const sweep::Limits& limits, std::size_t blocks, std::uint32_t agents,
                              double end_wall_seconds) {
  schedule::Options options;
  options.attempts = limits.attempts;
  options.batch = std::clamp<std::uint32_t>(static_cast<std::uint32_t>(blocks / (std::size_t{8} * agents)), 1,
                                            protocol::largest_grant);
  // An agent runs all that it was granted, also after too many of them failed.
  if (limits.failures)
    options.batch = static_cast<std::uint32_t>(std::min<std::int64_t>(options.batch, *limits.failures));
  options.expected_agents = agents;
  options.longest_first = agents > 1;
  options.end_seconds = end_wall_seconds;
  return options;
}

/// As much side by side as there are agents for; no block is shorter than itself.
double foretold_for(const std::vector<schedule::BlockRequest>& blocks, std::uint32_t agents) {
  double sum = 0;
  double longest = 0;
  for (const schedule::BlockRequest& block : blocks) {
    if (block.estimate.seconds <= 0) return std::numeric_limits<double>::quiet_NaN();
    sum += block.estimate.seconds * static_cast<double>(block.demand.ranks);
    longest = std::max(longest, block.estimate.seconds);
  }
  return std::max(longest, sum / agents);
}

std::size_t failed_arms(const results::BlockRecord& block) {
  return static_cast<std::size_t>(std::ranges::count_if(
      block.arms, [](const sweep::ArmOutcome& arm) { return std::holds_alternative<sweep::Failed>(arm.outcome); }));
}

}  // namespace

Coordinator::Coordinator(const sweep::Sweep& sweep, const sweep::Plan& plan, const sweep::RunFacts& facts,
                         Earlier earlier, std::uint32_t agents, const Times& times)
    : Coordinator(sweep, plan, facts, std::move(earlier), agents, times.end_wall_seconds,  // only bound here
                  open_blocks(sweep, plan, earlier, agents, times)) {}

Coordinator::Coordinator(const sweep::Sweep& sweep, const sweep::Plan& plan, const sweep::RunFacts& facts,
                         Earlier&& earlier, std::uint32_t agents, double end_wall_seconds,
                         std::vector<schedule::BlockRequest> open)
    : sweep_(sweep),
      plan_(plan),
      facts_(facts),
      earlier_(std::move(earlier)),
      foretold_seconds_(foretold_for(open, agents)),
      scheduler_(std::move(open),
                 options_for(sweep.limits, plan.blocks.size() - earlier_.finished.size(), agents, end_wall_seconds)),
      agents_(agents),
      ended_(plan.blocks.size()) {
  // Clones that are not for this pass are no part of it.
  const auto beside = std::ranges::count_if(plan.blocks, [&](const sweep::Block& block) {
    return block.has_clone && earlier_.finished.contains(block.hash);
  });
  progress_.blocks = plan.blocks.size() - static_cast<std::size_t>(beside);
  progress_.blocks_done = earlier_.finished.size() - static_cast<std::size_t>(beside);
}

void Coordinator::receive(AgentId from, protocol::AgentReply message, double wall_seconds) {
  wall_seconds_ = wall_seconds;
  std::visit([&](auto& kind) { handle(from, kind); }, message);
}

void Coordinator::handle(AgentId from, protocol::AgentReady& message) {
  const schedule::Slot slot{from, static_cast<std::int64_t>(message.slot.cores.size()), sweep::kinds_of(message.slot),
                            node_of(message)};
  ready_[from] = message;
  record(AgentToStore{from, std::move(message), {}});
  if (!std::exchange(deadly_failed_, true)) fail_deadly_blocks();
  act(scheduler_.on(schedule::AgentJoined{slot}, wall_seconds_));
}

schedule::NodeIndex Coordinator::node_of(const protocol::AgentReady& message) {
  const schedule::NodeIndex next{static_cast<std::uint32_t>(nodes_.size())};
  return nodes_.try_emplace(message.host_json + message.memory_domain, next).first->second;
}

/// The first of them leads as before. The first ranks are those of the smaller trials of a block: where its node has
/// enough for one, no other node takes part in it.
std::vector<AgentId> Coordinator::by_nodes(std::vector<AgentId> agents) {
  std::vector<schedule::NodeIndex> order;
  const auto place = [&](AgentId agent) {
    const schedule::NodeIndex node = node_of(ready_.at(agent));
    const auto found = std::ranges::find(order, node);
    if (found != order.end()) return found - order.begin();
    order.push_back(node);
    return std::ssize(order) - 1;
  };
  for (const AgentId agent : agents) place(agent);
  std::ranges::stable_sort(agents, {}, place);
  return agents;
}

void Coordinator::handle(AgentId from, const protocol::BlockStand& message) {
  const auto granted = progress_.granted.find(from);
  if (granted == progress_.granted.end()) return;
  std::deque<BlockIndex>& blocks = granted->second;
  const auto told = std::ranges::find(blocks, message.block);
  if (told == blocks.end()) return;
  std::rotate(blocks.begin(), told, told + 1);  // any block of a tour may run
  news_.stands.push_back({from, message});
}

void Coordinator::handle(AgentId from, protocol::BlockResult& message) {
  if (message.goes_on) return take_visit(from, message);
  const BlockIndex block = message.block;
  const AttemptId attempt = message.attempt;
  const double seconds = own_seconds(message) + visited_seconds(block);
  if (is_news(block, attempt)) {
    if (!message.calibration_json.empty()) record(AgentToStore{from, ready_[from], message.calibration_json});
    const BlockNews news{block, from, seconds, 0,
                         static_cast<std::size_t>(std::max<std::int64_t>(0, message.undecided))};
    results::BlockRecord entry = entry_of(from, message);
    take_from(from, block);
    record_block({std::move(entry), std::move(message.samples)}, news);
  }
  waiting_acks_.push_back({recorded_, from, {block, attempt}});
  acknowledge_durable();
  act(scheduler_.on(schedule::BlockDone{from, block, attempt, seconds}, wall_seconds_));
}

/// A visit is recorded as what a drain would leave of the block. If nothing follows, the next run goes on from there.
void Coordinator::take_visit(AgentId from, protocol::BlockResult& message) {
  if (message.attempt.value <= ended_.at(message.block.value).value) return;
  if (!message.calibration_json.empty()) record(AgentToStore{from, ready_[from], message.calibration_json});
  BlockToStore stored{entry_of(from, message), std::move(message.samples)};
  stored.record.interrupted = true;
  Visits& visits = visits_[message.block];
  ++visits.recorded;
  visits.seconds += own_seconds(message);
  record(std::move(stored));
}

results::BlockRecord Coordinator::entry_of(AgentId from, const protocol::BlockResult& message) const {
  results::BlockRecord entry = record_of(plan_, from, message);
  entry.continues = earlier_.continued.contains(entry.block);
  entry.visit = visits_recorded(message.block);
  return entry;
}

std::uint32_t Coordinator::visits_recorded(BlockIndex block) const {
  const auto found = visits_.find(block);
  return found == visits_.end() ? 0 : found->second.recorded;
}

double Coordinator::visited_seconds(BlockIndex block) const {
  const auto found = visits_.find(block);
  return found == visits_.end() ? 0 : found->second.seconds;
}

bool Coordinator::is_news(BlockIndex block, AttemptId attempt) {
  AttemptId& ended = ended_.at(block.value);
  if (attempt.value <= ended.value) return false;
  ended = attempt;
  return true;
}

void Coordinator::handle(AgentId from, protocol::AttemptFailed& message) {
  if (!is_news(message.block, message.attempt)) return;
  const sweep::Block& block = plan_.blocks.at(message.block.value);
  const sweep::Trial& trial = plan_.trials.at(block.arms.at(message.arm.value).value);
  const bool on_device = sweep::device_kind_of(trial.parameters) != sweep::DeviceKind::cpu;
  take_from(from, message.block);
  failed_on_[message.block] = from;
  if (const auto visits = visits_.find(message.block); visits != visits_.end()) visits->second.seconds = 0;
  record(results::FailedAttemptRecord{block.hash, trial.hash, message.attempt.value, message.kind, message.message});
  act(scheduler_.on(
      schedule::AttemptFailed{
          from, message.block, message.attempt, message.arm, {message.kind, message.message, on_device}},
      wall_seconds_));
}

void Coordinator::handle(AgentId from, protocol::GivenBack& message) {
  for (const BlockIndex block : message.blocks) take_from(from, block);
  act(scheduler_.on(schedule::BlocksGivenBack{from, message.blocks}, wall_seconds_));
}

void Coordinator::handle(AgentId from, protocol::DeviceLost& message) {
  for (const BlockIndex block : message.blocks) take_from(from, block);
  act(scheduler_.on(schedule::DeviceLost{from, message.kind, message.blocks, message.reason}, wall_seconds_));
}

bool Coordinator::done() const { return dismissed_ == agents_ && !awaits_disk(); }

void Coordinator::drain() {
  draining_ = true;
  act(scheduler_.on(schedule::DrainRequested{}));
}

void Coordinator::durable(std::uint64_t records) {
  durable_ = std::max(durable_, records);
  acknowledge_durable();
}

void Coordinator::acknowledge_durable() {
  while (!waiting_acks_.empty() && waiting_acks_.front().records <= durable_) {
    Outbound& answer = messages_.emplace_back();
    answer.to = waiting_acks_.front().to;
    answer.message = waiting_acks_.front().ack;
    waiting_acks_.pop_front();
  }
}

void Coordinator::act(const std::vector<schedule::Action>& actions) {
  for (const schedule::Action& action : actions) std::visit([&](const auto& kind) { act(kind); }, action);
}

void Coordinator::act(const schedule::Grant& grant) {
  protocol::Grant message{grant.first, grant.count, grant.attempt, {}, {}, grant.without_device, {}};
  if (grant.tour > 0) message.tour = protocol::TourGrant{grant.tour, grant.to_come};
  for (const auto& [arm, cause] : grant.dropped) message.dropped.push_back({arm, cause.kind, cause.message});
  if (grant.agents.size() > 1) message.gang = by_nodes(grant.agents);
  message.tasks.reserve(grant.count);
  for (std::uint32_t i = 0; i < grant.count; ++i) {
    const sweep::Block& block = plan_.blocks.at(grant.first.value + i);
    grants_.push_back({block.hash, grant.attempt.value, grant.agents.front().value});
    message.tasks.push_back(sweep::task_of(sweep_, plan_, block, facts_));
  }
  if (grant.agents.size() > 1) gangs_[grant.first] = grant.agents;
  for (const AgentId agent : grant.agents) {
    auto& queue = progress_.granted[agent];
    for (std::uint32_t i = 0; i < grant.count; ++i) queue.push_back({grant.first.value + i});
  }
  for (std::size_t i = 0; i + 1 < grant.agents.size(); ++i) messages_.push_back({grant.agents[i], message});
  messages_.push_back({grant.agents.back(), std::move(message)});
}

void Coordinator::act(const schedule::Conclude& conclude) {
  const sweep::Block& block = plan_.blocks.at(conclude.block.value);
  std::vector<sweep::ArmOutcome> arms;
  for (const auto& [arm, cause] : conclude.dropped) {
    arms.emplace_back().arm = arm;
    arms.back().outcome = sweep::Failed{cause.kind, cause.message};
  }
  BlockToStore stored{record_without_run(plan_, block, conclude.attempt, arms, wall_seconds_), {}};
  if (const auto failed = failed_on_.find(conclude.block); failed != failed_on_.end())
    stored.record.agent = failed->second.value;
  stored.record.visit = visits_recorded(conclude.block);
  record_block(std::move(stored), {conclude.block, std::nullopt, 0, 0, 0});
}

void Coordinator::act(const schedule::Refuse& refuse) {
  const sweep::Block& block = plan_.blocks.at(refuse.block.value);
  // A record would take the place of what was measured of it, or stand for a run that nobody has trained.
  const bool is_recorded = earlier_.continued.contains(block.hash) || earlier_.taken.contains(block.hash);
  if (is_recorded || (block.leg && block.demand.ranks > 1)) {
    ++progress_.too_large;
    progress_.too_large_reason = refuse.skip.reason;
    return;
  }
  std::vector<sweep::ArmOutcome> arms(block.arms.size());
  for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
    arms[arm].arm = {arm};
    arms[arm].outcome = refuse.skip;
  }
  record_block({record_without_run(plan_, block, {1}, arms, wall_seconds_), {}}, {refuse.block, std::nullopt, 0, 0, 0});
}

void Coordinator::act(const schedule::Dismiss& dismiss) {
  if (++dismissed_ == agents_ && !draining_) progress_.too_long = scheduler_.waiting();
  messages_.push_back({dismiss.agent, protocol::Finish{}});
}

void Coordinator::record(StoreRecord record) {
  ++recorded_;
  records_.push_back(std::move(record));
}

void Coordinator::record_block(BlockToStore block, BlockNews news) {
  news.failed_arms = failed_arms(block.record);
  const bool is_done = !block.record.interrupted;
  record(std::move(block));
  if (!is_done) {
    ++progress_.interrupted;
    return;
  }
  ++progress_.blocks_done;
  progress_.failed_arms += news.failed_arms;
  progress_.undecided += news.undecided;
  news_.done.push_back(news);
  stop_after_failures();
}

/// Nobody runs a block again that has taken its rank down as often as a trial may be tried. Which of several arms did
/// it is not known: the agent died with its account.
void Coordinator::fail_deadly_blocks() {
  for (const sweep::Block& block : plan_.blocks) {
    const results::RankDeaths* const deaths = deaths_of(earlier_, block);
    if (!is_deadly(sweep_, deaths)) continue;
    std::string message = "took its rank down (" + deaths->host + ")";
    if (deaths->count > 1) message += ", " + std::to_string(deaths->count) + " times";
    if (block.arms.size() > 1) message += ": it or a trial that it is compared with";
    std::vector<sweep::ArmOutcome> arms(block.arms.size());
    for (std::uint32_t arm = 0; arm < arms.size(); ++arm) {
      arms[arm].arm = {arm};
      arms[arm].outcome = sweep::Failed{sweep::FailureKind::rank_lost, message};
    }
    record_block({record_without_run(plan_, block, {1}, arms, wall_seconds_), {}},
                 {block.index, std::nullopt, 0, 0, 0});
  }
}

/// Running blocks are finished, and nothing more is begun.
void Coordinator::stop_after_failures() {
  const auto most = sweep_.limits.failures;
  if (!most || draining_ || progress_.failed_arms < static_cast<std::size_t>(*most)) return;
  progress_.stopped_by_failures = true;
  drain();
}

void Coordinator::take_from(AgentId agent, BlockIndex block) {
  const auto gang = gangs_.find(block);
  if (gang == gangs_.end()) return take_from_one(agent, block);
  for (const AgentId each : gang->second) take_from_one(each, block);
  gangs_.erase(gang);
}

void Coordinator::take_from_one(AgentId agent, BlockIndex block) {
  std::deque<BlockIndex>& granted = progress_.granted[agent];
  if (!granted.empty() && granted.front() == block)
    granted.pop_front();  // as nearly always: it may hold hundreds behind it
  else
    std::erase(granted, block);
}

}  // namespace regatta::dispatch
