#include "test_env.hpp"

#include <algorithm>
#include <variant>

#include "regatta/protocol/codec.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::dispatch::testing {
namespace {

protocol::Frame through_bytes(const protocol::Frame& frame) { return protocol::decode(protocol::encode(frame)); }

struct Writer {
  std::string operator()(const protocol::Grant& grant) const {
    std::string line = "grant " + std::to_string(grant.first.value);
    if (grant.count > 1) line += "+" + std::to_string(grant.count);
    line += " attempt " + std::to_string(grant.attempt.value);
    for (const auto& drop : grant.dropped) line += " dropped " + std::to_string(drop.arm.value);
    if (!grant.gang.empty()) line += " gang";
    for (const AgentId agent : grant.gang) line += " " + std::to_string(agent.value);
    return line;
  }
  std::string operator()(const protocol::Acknowledge& ack) const {
    return "acknowledge " + std::to_string(ack.block.value) + " attempt " + std::to_string(ack.attempt.value);
  }
  std::string operator()(const protocol::Finish&) const { return "finish"; }
};

}  // namespace

protocol::AgentRequest through_bytes(const protocol::AgentRequest& message) {
  return protocol::parse_agent_request(through_bytes(protocol::to_packed(message)));
}

std::string text(const protocol::AgentRequest& message) { return std::visit(Writer{}, message); }

TestEnv::TestEnv(std::uint32_t blocks, std::uint32_t agents) : agents_(agents) {
  sweep_ = sweep::parse_sweep(
      R"({"regatta": 1, "name": "s", "axes": {"model": "noop"}, "repeats": )" + std::to_string(blocks) + "}", "s.json",
      sweep::any_environment());
  plan_ = sweep::make_plan(sweep_);
}

TestEnv& TestEnv::finished(std::uint32_t block) {
  earlier_.finished.insert(plan_.blocks.at(block).hash);
  return *this;
}

TestEnv& TestEnv::continued(std::uint32_t block) {
  earlier_.continued.insert(plan_.blocks.at(block).hash);
  return *this;
}

TestEnv& TestEnv::taken(std::uint32_t block, const sweep::Demand& demand) {
  earlier_.taken[plan_.blocks.at(block).hash] = demand;
  return *this;
}

TestEnv& TestEnv::deadly(std::uint32_t block, std::int64_t deaths, bool was_alone) {
  earlier_.deaths[plan_.blocks.at(block).hash] = {deaths, "n3", was_alone};
  return *this;
}

TestEnv& TestEnv::ranks(std::int64_t ranks) {
  for (sweep::Block& block : plan_.blocks) {
    block.demand.ranks = ranks;
    plan_.trials[block.arms.front().value].parameters[sweep::Param::ranks] = ranks;
  }
  return *this;
}

TestEnv& TestEnv::trains() {
  for (sweep::Block& block : plan_.blocks) block.leg = sweep::Leg{};
  return *this;
}

TestEnv& TestEnv::on_device(std::uint32_t block) {
  plan_.blocks.at(block).demand.device = sweep::DeviceKind::cuda;
  return *this;
}

TestEnv& TestEnv::attempts(std::int64_t attempts) {
  sweep_.limits.attempts = attempts;
  return *this;
}

TestEnv& TestEnv::failures(std::int64_t failures) {
  sweep_.limits.failures = failures;
  return *this;
}

Coordinator& TestEnv::coordinator() {
  if (!coordinator_) coordinator_ = std::make_unique<Coordinator>(sweep_, plan_, facts_, earlier_, agents_, times_);
  return *coordinator_;
}

Lines TestEnv::messages() {
  Lines lines;
  for (const Outbound& outbound : coordinator().take_messages()) {
    lines.push_back(std::to_string(outbound.to.value) + ": " + text(through_bytes(outbound.message)));
  }
  return lines;
}

Lines TestEnv::receive(std::uint32_t agent, const protocol::AgentReply& message) {
  coordinator().receive({agent}, protocol::parse_agent_reply(through_bytes(protocol::to_packed(message))), 1000);
  return messages();
}

TestEnv& TestEnv::take(std::vector<double> seconds, double end_wall_seconds) {
  times_.end_wall_seconds = end_wall_seconds;
  times_.estimate = [seconds = std::move(seconds)](const sweep::Block& block) {
    return schedule::Estimate{seconds.at(block.index.value), 1, block.index.value};
  };
  return *this;
}

Lines TestEnv::joined_on(const std::string& host, std::uint32_t agent, const std::string& memory_domain) {
  return receive(agent, protocol::AgentReady{host, {{static_cast<int>(agent)}}, {}, memory_domain});
}

Lines TestEnv::joined(std::uint32_t agent, const std::optional<sweep::SlotDevice>& device) {
  return receive(agent, protocol::AgentReady{"{}", {{static_cast<int>(agent)}, device}, {}});
}

protocol::BlockResult TestEnv::result_of(std::uint32_t block, std::uint32_t attempt) const {
  protocol::BlockResult result;
  result.block = {block};
  result.attempt = {attempt};
  for (std::uint32_t arm = 0; arm < plan_.blocks.at(block).arms.size(); ++arm) {
    result.arms.emplace_back().arm = {arm};
    result.arms.back().outcome = sweep::Finished{};
  }
  return result;
}

Lines TestEnv::done(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt) {
  return receive(agent, result_of(block, attempt));
}

Lines TestEnv::failed(std::uint32_t agent, std::uint32_t block) {
  protocol::BlockResult result = result_of(block, 1);
  for (sweep::ArmOutcome& arm : result.arms) arm.outcome = sweep::Failed{sweep::FailureKind::reported, "exit 1"};
  return receive(agent, result);
}

Lines TestEnv::told(std::uint32_t agent, std::uint32_t block) {
  protocol::BlockStand stand;
  stand.block = {block};
  stand.squares = 5;
  return receive(agent, stand);
}

Lines TestEnv::interrupted(std::uint32_t agent, std::uint32_t block) {
  protocol::BlockResult result = result_of(block, 1);
  result.interrupted = true;
  return receive(agent, result);
}

Lines TestEnv::visited(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt) {
  protocol::BlockResult result = result_of(block, attempt);
  result.goes_on = true;
  result.visits_seconds = 4;
  return receive(agent, result);
}

Lines TestEnv::died(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt) {
  return receive(agent,
                 protocol::AttemptFailed{{block}, {attempt}, {0}, sweep::FailureKind::crashed, "killed by signal 11"});
}

Lines TestEnv::given_back(std::uint32_t agent, std::vector<std::uint32_t> blocks) {
  protocol::GivenBack given;
  for (const std::uint32_t block : blocks) given.blocks.push_back({block});
  return receive(agent, given);
}

Lines TestEnv::drain() {
  coordinator().drain();
  return messages();
}

Lines TestEnv::durable(std::uint64_t records) {
  coordinator().durable(records);
  return messages();
}

Lines TestEnv::records() {
  Lines lines;
  const auto index = [&](const Hash128& hash) {
    const auto found = std::ranges::find(plan_.blocks, hash, &sweep::Block::hash);
    return std::to_string(found->index.value);
  };
  for (const StoreRecord& record : raw_records()) {
    if (const auto* agent = std::get_if<AgentToStore>(&record)) {
      lines.push_back("agent " + std::to_string(agent->agent.value));
    } else if (const auto* block = std::get_if<BlockToStore>(&record)) {
      lines.push_back("block " + index(block->record.block) + " attempt " + std::to_string(block->record.attempt));
    } else {
      const auto& failed = std::get<results::FailedAttemptRecord>(record);
      lines.push_back("failed " + index(failed.block) + " attempt " + std::to_string(failed.attempt));
    }
  }
  return lines;
}

}  // namespace regatta::dispatch::testing
