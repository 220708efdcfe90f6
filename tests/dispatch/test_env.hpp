// Short ways to drive a coordinator: every message goes through the codec, and what comes out is a line of text.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "regatta/dispatch/coordinator.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/spec.hpp"

namespace regatta::dispatch::testing {

using Lines = std::vector<std::string>;

class TestEnv {
 public:
  /// `blocks` blocks of one no-op trial each.
  explicit TestEnv(std::uint32_t blocks, std::uint32_t agents = 1);

  /// Builders: before the first event.
  TestEnv& finished(std::uint32_t block);
  TestEnv& continued(std::uint32_t block);
  TestEnv& taken(std::uint32_t block, const sweep::Demand& demand);
  TestEnv& deadly(std::uint32_t block, std::int64_t deaths, bool was_alone = true);  ///< on node n3
  TestEnv& ranks(std::int64_t ranks);       ///< each block asks for so many at once
  TestEnv& trains();                        ///< each block is a leg of a training
  TestEnv& on_device(std::uint32_t block);  ///< it asks for a GPU
  TestEnv& attempts(std::int64_t attempts);
  TestEnv& failures(std::int64_t failures);                             ///< after which the run stops
  TestEnv& take(std::vector<double> seconds, double end_wall_seconds);  ///< so long, one for each block

  /// Events; each returns the messages that it causes.
  Lines joined(std::uint32_t agent, const std::optional<sweep::SlotDevice>& device = std::nullopt);
  Lines joined_on(const std::string& host, std::uint32_t agent, const std::string& memory_domain = {});
  Lines done(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt = 1);
  Lines failed(std::uint32_t agent, std::uint32_t block);  ///< done, and its trial has failed
  Lines told(std::uint32_t agent, std::uint32_t block);
  Lines interrupted(std::uint32_t agent, std::uint32_t block);
  Lines visited(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt = 1);
  Lines died(std::uint32_t agent, std::uint32_t block, std::uint32_t attempt = 1);
  Lines given_back(std::uint32_t agent, std::vector<std::uint32_t> blocks);
  Lines drain();
  Lines durable(std::uint64_t records);

  /// Records to be made durable since the last call.
  Lines records();
  std::vector<StoreRecord> raw_records() { return coordinator().take_records(); }

  Coordinator& coordinator();
  [[nodiscard]] const sweep::Sweep& sweep() const { return sweep_; }
  [[nodiscard]] const sweep::Plan& plan() const { return plan_; }
  [[nodiscard]] const sweep::RunFacts& facts() const { return facts_; }

 private:
  protocol::BlockResult result_of(std::uint32_t block, std::uint32_t attempt) const;
  Lines receive(std::uint32_t agent, const protocol::AgentReply& message);
  Lines messages();

  sweep::Sweep sweep_;
  sweep::Plan plan_;
  sweep::RunFacts facts_;
  Earlier earlier_;
  Times times_;
  std::uint32_t agents_;
  std::unique_ptr<Coordinator> coordinator_;
};

/// As it arrives at an agent of another rank.
protocol::AgentRequest through_bytes(const protocol::AgentRequest& message);

/// "grant 4+2 attempt 1 dropped 0 gang 0 1", "acknowledge 4 attempt 1", "finish".
std::string text(const protocol::AgentRequest& message);

}  // namespace regatta::dispatch::testing
