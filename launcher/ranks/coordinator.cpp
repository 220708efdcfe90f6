#include "ranks/coordinator.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "host/host_info.hpp"
#include "measuring/calibration.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/log.hpp"

namespace regatta::launcher {
namespace {

constexpr std::uint32_t largest_grant = 64;

std::vector<schedule::BlockRequest> open_jobs(const sweep::Plan& plan, const std::set<Hash128>& finished) {
  std::vector<schedule::BlockRequest> jobs;
  for (const sweep::Block& block : plan.blocks) {
    if (!finished.contains(block.hash))
      jobs.push_back({block.index, block.demand, static_cast<std::uint32_t>(block.arms.size())});
  }
  return jobs;
}

// Short blocks travel in ranges so that an agent never waits for its next one; a few long ones singly.
schedule::Options options_for(const sweep::Sweep& sweep, std::size_t jobs, std::uint32_t agents) {
  schedule::Options options;
  options.attempts = sweep.limits.attempts;
  options.batch =
      std::clamp<std::uint32_t>(static_cast<std::uint32_t>(jobs / (std::size_t{8} * agents)), 1, largest_grant);
  options.expected_agents = agents;
  return options;
}

results::ArmRecord arm_record(const sweep::Plan& plan, const sweep::Block& block, const protocol::ArmReport& report) {
  const sweep::Trial& trial = plan.trials.at(block.arms.at(report.arm.value).value);
  results::ArmRecord record;
  if (block.is_intervention()) record.intervention = sweep::text_of(block.interventions.at(report.arm.value));
  record.trial = trial.hash;
  record.outcome = report.outcome;
  record.environment = report.environment;
  record.engine = sweep::split_engine(sweep::text_of(trial.parameters, sweep::Param::engine)).engine;
  record.engine_version = report.engine_version;
  record.prepare_seconds = report.prepare_seconds;
  record.peak_bytes = report.peak_bytes;
  record.verified = report.verified;
  record.verified_detail = report.verified_detail;
  record.kernels = report.kernels;
  return record;
}

}  // namespace

Coordinator::Coordinator(const sweep::Sweep& sweep, const sweep::Plan& plan, results::StoreWriter& store,
                         const OpenBlocks& open, std::uint32_t agents)
    : plan_(plan),
      store_(store),
      scheduler_(open_jobs(plan, open.finished), options_for(sweep, plan.blocks.size() - open.finished.size(), agents)),
      continued_(open.continued),
      again_(open.again),
      agents_(agents),
      sync_([&store] { store.sync(); }) {
  progress_.blocks = plan.blocks.size();
  progress_.blocks_done = open.finished.size();
}

void Coordinator::receive(AgentId from, const protocol::AgentReply& message) {
  std::visit([&](const auto& kind) { handle(from, kind); }, message);
}

void Coordinator::handle(AgentId from, const protocol::AgentReady& message) {
  results::AgentRecord record;
  record.agent = from.value;
  record.host = parse_host(message.host_json);
  record.device.kind = "cpu";
  record.device.name = fmt::format("cores {}", fmt::join(message.cpus, ","));
  record.device.flags = fmt::format("{}", fmt::join(message.flags, ","));
  agent_records_[from] = record;
  store_.agent(record);
  sync_then(std::nullopt);
  act(scheduler_.on(
      schedule::AgentJoined{{from, static_cast<std::int64_t>(message.cpus.size()), {sweep::DeviceKind::cpu}}}));
}

void Coordinator::handle(AgentId from, const protocol::BlockResult& message) {
  const Outbound ack{from, protocol::Acknowledge{message.block, message.attempt}};
  if (!recorded_.emplace(message.block, message.attempt).second) return sync_then(ack);
  const sweep::Block& block = plan_.blocks.at(message.block.value);
  results::BlockRecord block_record;
  block_record.block = block.hash;
  block_record.attempt = message.attempt.value;
  block_record.agent = from.value;
  block_record.start_wall_seconds = message.start_wall_seconds;
  block_record.end_wall_seconds = message.end_wall_seconds;
  block_record.flags = message.flags;
  block_record.continues = continued_.contains(block.hash);
  block_record.measured_again = again_.contains(block.hash);
  for (const protocol::ArmReport& arm : message.arms) {
    block_record.arms.push_back(arm_record(plan_, block, arm));
  }
  if (!message.calibration_json.empty()) {
    results::AgentRecord& agent = agent_records_[from];
    agent.device.calibration = parse_calibration(message.calibration_json);
    store_.agent(agent);
  }
  take_from(from, message.block);
  record(block_record, message.samples,
         {message.block, from, message.end_wall_seconds - message.start_wall_seconds, 0,
          static_cast<std::size_t>(std::max<std::int64_t>(0, message.undecided))});
  sync_then(ack);
  act(scheduler_.on(schedule::BlockDone{from, message.block, message.attempt}));
}

void Coordinator::handle(AgentId from, const protocol::AttemptFailed& message) {
  const sweep::Block& block = plan_.blocks.at(message.block.value);
  const sweep::Trial& trial = plan_.trials.at(block.arms.at(message.arm.value).value);
  log::warn(fmt::format("attempt {} of block {}: {}: {}", message.attempt.value, message.block.value,
                        sweep::to_string(message.kind), message.message));
  take_from(from, message.block);
  store_.failed_attempt(block.hash, trial.hash, message.attempt.value, message.kind, message.message);
  sync_then(std::nullopt);
  act(scheduler_.on(
      schedule::AttemptFailed{from, message.block, message.attempt, message.arm, {message.kind, message.message}}));
}

void Coordinator::handle(AgentId from, const protocol::GivenBack& message) {
  for (const BlockIndex block : message.blocks) take_from(from, block);
  act(scheduler_.on(schedule::BlocksGivenBack{from, message.blocks}));
}

void Coordinator::drain() { act(scheduler_.on(schedule::DrainRequested{})); }

void Coordinator::turn() {
  const std::uint64_t durable = sync_.completed();
  while (!waiting_acks_.empty() && waiting_acks_.front().generation <= durable) {
    if (waiting_acks_.front().ack) outgoing_.push_back(*waiting_acks_.front().ack);
    waiting_acks_.pop_front();
  }
}

void Coordinator::act(const std::vector<schedule::Action>& actions) {
  for (const schedule::Action& action : actions) std::visit([&](const auto& kind) { act(kind); }, action);
}

void Coordinator::act(const schedule::Grant& grant) {
  protocol::Grant message{grant.first, grant.count, grant.attempt, {}};
  for (const auto& [arm, cause] : grant.dropped) message.dropped.push_back({arm, cause.kind, cause.message});
  auto& queue = progress_.granted[grant.agents.front()];
  for (std::uint32_t i = 0; i < grant.count; ++i) queue.push_back({grant.first.value + i});
  outgoing_.push_back({grant.agents.front(), message});
}

void Coordinator::act(const schedule::Conclude& conclude) {
  const sweep::Block& block = plan_.blocks.at(conclude.block.value);
  results::BlockRecord block_record;
  block_record.block = block.hash;
  block_record.attempt = conclude.attempt.value;
  block_record.start_wall_seconds = block_record.end_wall_seconds = wall_seconds();
  for (const auto& [arm, cause] : conclude.dropped) {
    protocol::ArmReport report;
    report.arm = arm;
    report.outcome = sweep::Failed{cause.kind, cause.message};
    block_record.arms.push_back(arm_record(plan_, block, report));
  }
  record(block_record, {}, {conclude.block, std::nullopt, 0, 0, 0});
  sync_then(std::nullopt);
}

void Coordinator::act(const schedule::Refuse& refuse) {
  const sweep::Block& block = plan_.blocks.at(refuse.block.value);
  results::BlockRecord block_record;
  block_record.block = block.hash;
  block_record.attempt = 1;
  block_record.start_wall_seconds = block_record.end_wall_seconds = wall_seconds();
  for (std::uint32_t arm = 0; arm < block.arms.size(); ++arm) {
    protocol::ArmReport report;
    report.arm = {arm};
    report.outcome = sweep::Skipped{refuse.reason};
    block_record.arms.push_back(arm_record(plan_, block, report));
  }
  record(block_record, {}, {refuse.block, std::nullopt, 0, 0, 0});
  sync_then(std::nullopt);
}

void Coordinator::act(const schedule::Dismiss& dismiss) {
  ++dismissed_;
  outgoing_.push_back({dismiss.agent, protocol::Finish{}});
}

void Coordinator::record(const results::BlockRecord& block_record, std::span<const stats::Sample> samples,
                         BlockNews news) {
  store_.result(block_record, samples);
  news.failed_arms =
      static_cast<std::size_t>(std::ranges::count_if(block_record.arms, [](const results::ArmRecord& arm) {
        return std::holds_alternative<sweep::Failed>(arm.outcome);
      }));
  ++progress_.blocks_done;
  progress_.failed_arms += news.failed_arms;
  progress_.undecided += news.undecided;
  news_.push_back(news);
}

void Coordinator::take_from(AgentId agent, BlockIndex block) { std::erase(progress_.granted[agent], block); }

void Coordinator::sync_then(std::optional<Outbound> ack) {
  waiting_acks_.push_back({++generation_, std::move(ack)});
  sync_.request(generation_);
}

}  // namespace regatta::launcher
