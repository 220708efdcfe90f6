#include <gtest/gtest.h>

#include "support.hpp"

namespace regatta::schedule::testing {
namespace {

Event joined_on(std::uint32_t node, std::uint32_t agent) { return AgentJoined{{{agent}, 1, {cpu}, {node}}}; }

Lines after_joining(Scheduler& scheduler, const std::vector<std::uint32_t>& nodes) {
  Lines lines;
  for (std::uint32_t agent = 0; agent < nodes.size(); ++agent) {
    for (const std::string& line : texts(scheduler.on(joined_on(nodes[agent], agent)))) lines.push_back(line);
  }
  return lines;
}

TEST(Nodes, AGroupIsMadeOfAgentsOfOneNode) {
  Scheduler scheduler(jobs(1, {2, 1, cpu}), {.expected_agents = 4});
  EXPECT_EQ(after_joining(scheduler, {0, 1, 2, 1}), (Lines{"grant 1 3: 0 attempt 1"}));
}

TEST(Nodes, AGroupThatNoNodeCanHoldSpansThemOnceAllAreThere) {
  Scheduler scheduler(jobs(1, {3, 1, cpu}), {.expected_agents = 4});
  EXPECT_EQ(after_joining(scheduler, {0, 0, 1}), Lines{}) << "a third of node 0 may come";
  EXPECT_EQ(texts(scheduler.on(joined_on(1, 3))), (Lines{"grant 0 1 3: 0 attempt 1"}));
}

TEST(Nodes, AGroupSpansNodesWhereTheOnlyLargeOneLostAnAgent) {
  Scheduler scheduler(jobs(2, {2, 1, cpu}), {.expected_agents = 3});
  EXPECT_EQ(after_joining(scheduler, {0, 0, 1}), (Lines{"grant 0 1: 0 attempt 1"}));
  EXPECT_EQ(texts(scheduler.on(AgentLeft{{0}})), (Lines{"grant 1 2: 0 attempt 2"}));
}

TEST(Nodes, OthersGoOnWhileAGroupIsGathered) {
  std::vector<BlockRequest> list = jobs(12);
  list[4].demand.ranks = 2;
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 4});
  EXPECT_EQ(after_joining(scheduler, {0, 0, 1, 1}).size(), 4U);
  EXPECT_TRUE(scheduler.on(done(0, 0)).empty()) << "reserved";
  EXPECT_EQ(texts(scheduler.on(done(2, 2))), (Lines{"grant 2: 5 attempt 1"})) << "of the other node";
  EXPECT_EQ(texts(scheduler.on(done(1, 1))), (Lines{"grant 0 1: 4 attempt 1"}));
}

/// Blocks 0 and 1 run on the only two agents, block 2 is for both of them, 3 takes `gap_seconds`.
std::vector<std::string> in_the_gap(double gap_seconds) {
  std::vector<BlockRequest> list = jobs(4);
  list[2].demand.ranks = 2;
  for (std::uint32_t i = 0; i < 4; ++i) list[i].estimate = {std::vector<double>{10, 100, 10, gap_seconds}[i], 0, i};
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 2});
  scheduler.on(joined(0), 0);
  scheduler.on(joined(1), 0);
  return texts(scheduler.on(BlockDone{{0}, {0}, {1}, 10}, 10));
}

TEST(Nodes, AnAgentThatWaitsForItsGroupRunsWhatEndsBeforeThat) {
  EXPECT_EQ(in_the_gap(20), (Lines{"grant 0: 3 attempt 1"}));
  EXPECT_EQ(in_the_gap(80), Lines{}) << "most likely, not on average";
  EXPECT_EQ(in_the_gap(0), Lines{}) << "nobody knows how long it takes";
}

TEST(Nodes, AGroupStartsWhenItsGapIsFilledToTheEnd) {
  std::vector<BlockRequest> list = jobs(4);
  list[2].demand.ranks = 2;
  for (std::uint32_t i = 0; i < 4; ++i) list[i].estimate = {std::vector<double>{10, 100, 10, 20}[i], 0, i};
  Scheduler scheduler(list, {.outstanding = 0, .expected_agents = 2});
  for (std::uint32_t agent : {0U, 1U}) scheduler.on(joined(agent), 0);
  scheduler.on(BlockDone{{0}, {0}, {1}, 10}, 10);
  EXPECT_TRUE(scheduler.on(BlockDone{{1}, {1}, {1}, 15}, 15).empty()) << "sooner than expected: 0 is still at 3";
  EXPECT_EQ(texts(scheduler.on(BlockDone{{0}, {3}, {1}, 20}, 30)), (Lines{"grant 0 1: 2 attempt 1"}));
}

}  // namespace
}  // namespace regatta::schedule::testing
