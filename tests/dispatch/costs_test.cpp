// The cost of a no-op trial between its grant and its acknowledgement, counted, not timed. It is messages, bytes on the
// wire and allocations of coordinator, agent and codec. The limits are the counts, and a tenth.
#include <gtest/gtest.h>

#include <cstdint>
#include <iostream>
#include <string>

#include "regatta/dispatch/agent_turn.hpp"
#include "regatta/dispatch/coordinator.hpp"
#include "regatta/protocol/codec.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "support/counted_allocations.hpp"

namespace regatta::dispatch::testing {
namespace {

using support::allocations;

struct Costs {
  double messages = 0;
  double bytes = 0;
  double allocations = 0;
};
constexpr Costs most{2.2, 500, 54};

constexpr std::uint32_t blocks = 4000;

class Wire {
 public:
  protocol::Frame carry(const protocol::Frame& frame) {
    std::string encoded = protocol::encode(frame);
    ++messages;
    bytes += encoded.size();
    return protocol::decode(std::move(encoded));
  }

  std::uint64_t messages = 0;
  std::uint64_t bytes = 0;
};

/// As the native engine reports a no-op trial of one slice.
protocol::BlockResult noop_result(const sweep::BlockTask& granted) {
  protocol::BlockResult result;
  result.block = granted.block;
  result.attempt = granted.attempt;
  result.start_wall_seconds = 1.76e9;
  result.end_wall_seconds = 1.76e9 + 1;
  result.arms.emplace_back().outcome = sweep::Finished{};
  result.samples.resize(2);
  return result;
}

void deliver(Coordinator& coordinator, AgentTurn& agent, Wire& wire) {
  for (const Outbound& outbound : coordinator.take_messages())
    agent.receive(protocol::parse_agent_request(wire.carry(protocol::to_packed(outbound.message))));
}

TEST(Costs, OfANoOpTrialStayWhatTheyAre) {
  const auto sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "s", "axes": {"model": "noop"}, "repeats": )" + std::to_string(blocks) + "}", "s.json",
      sweep::any_environment());
  const auto plan = sweep::make_plan(sweep);
  Coordinator coordinator(sweep, plan, {}, {}, 1);
  AgentTurn agent({0});
  Wire wire;
  coordinator.receive({0}, protocol::AgentReady{"{}", {{0}}, {}}, 0);
  deliver(coordinator, agent, wire);
  const std::uint64_t before = allocations;
  std::uint64_t records = 1;
  while (const auto granted = agent.next()) {
    agent.ran(noop_result(*granted));
    for (const auto& reply : agent.take_messages())
      coordinator.receive({0}, protocol::parse_agent_reply(wire.carry(protocol::to_packed(reply))), 0);
    records += coordinator.take_records().size();
    static_cast<void>(coordinator.take_news());
    coordinator.durable(records);
    deliver(coordinator, agent, wire);
  }
  EXPECT_TRUE(coordinator.done());
  EXPECT_TRUE(agent.done());
  const Costs costs{static_cast<double>(wire.messages) / blocks, static_cast<double>(wire.bytes) / blocks,
                    static_cast<double>(allocations - before) / blocks};
  std::cout << "a no-op trial: " << costs.messages << " messages, " << costs.bytes << " bytes, " << costs.allocations
            << " allocations\n";
  EXPECT_LE(costs.messages, most.messages);
  EXPECT_LE(costs.bytes, most.bytes);
  EXPECT_LE(costs.allocations, most.allocations);
}

}  // namespace
}  // namespace regatta::dispatch::testing
