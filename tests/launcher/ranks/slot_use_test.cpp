#include "ranks/slot_use.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::launcher {
namespace {

const AgentId first{0};
const AgentId second{1};

protocol::Grant grant(std::uint32_t blocks) { return {{0}, blocks, {1}, {}}; }

/// On the agent's own clock.
protocol::BlockResult result(double start, double end) {
  protocol::BlockResult result;
  result.start_wall_seconds = start;
  result.end_wall_seconds = end;
  return result;
}

TEST(SlotUse, IsTheTimeInWhichBlocksRan) {
  SlotUse use;
  EXPECT_TRUE(std::isnan(use.shares(5).mean));
  use.heard(first, protocol::AgentReady{}, 10);
  use.told(first, grant(2), 10);
  use.heard(first, result(1000, 1003), 14);
  use.heard(first, result(1004, 1008), 18);
  use.told(first, protocol::Finish{}, 20);
  const IdleShares shares = use.shares(99);
  EXPECT_EQ(shares.slots, 1);
  EXPECT_DOUBLE_EQ(shares.mean, 0.3);
  EXPECT_DOUBLE_EQ(shares.most, 0.3);
  EXPECT_DOUBLE_EQ(shares.tail, 0.2);
}

TEST(SlotUse, CountsTheTimeOfBlocksOfOneLotOnce) {
  SlotUse use;
  use.heard(first, protocol::AgentReady{}, 0);
  use.told(first, grant(2), 0);
  use.heard(first, result(50, 54), 10);
  use.heard(first, result(51, 55), 10);
  EXPECT_DOUBLE_EQ(use.shares(10).mean, 0.5);
}

TEST(SlotUse, ABlockThatGoesOnBehindAVisitStillRuns) {
  SlotUse use;
  use.heard(first, protocol::AgentReady{}, 0);
  use.told(first, grant(1), 0);
  protocol::BlockResult visited = result(50, 54);
  visited.goes_on = true;
  use.heard(first, visited, 4);
  EXPECT_DOUBLE_EQ(use.shares(8).mean, 0) << "it runs since then";
  use.heard(first, result(54, 58), 8);
  EXPECT_DOUBLE_EQ(use.shares(16).mean, 0.5);
}

TEST(SlotUse, TakesWhatIsGrantedToRunSinceItsSlotWasFree) {
  SlotUse use;
  use.heard(first, protocol::AgentReady{}, 0);
  EXPECT_DOUBLE_EQ(use.shares(4).mean, 1) << "nothing was granted yet";
  use.told(first, grant(1), 4);
  EXPECT_DOUBLE_EQ(use.shares(16).mean, 0.25);
  EXPECT_DOUBLE_EQ(use.shares(16).tail, 0) << "it runs something";
}

TEST(SlotUse, CountsAttemptsThatFailed) {
  SlotUse use;
  use.heard(first, protocol::AgentReady{}, 0);
  use.told(first, grant(1), 0);
  use.heard(first, protocol::AttemptFailed{}, 8);
  EXPECT_DOUBLE_EQ(use.shares(10).mean, 0.2);
}

TEST(SlotUse, KnowsBlocksThatAreGivenBack) {
  SlotUse use;
  use.heard(first, protocol::AgentReady{}, 0);
  use.told(first, grant(3), 0);
  use.heard(first, result(0, 5), 5);
  use.heard(first, protocol::GivenBack{{{1}, {2}}}, 5);
  EXPECT_DOUBLE_EQ(use.shares(10).tail, 0.5);
}

TEST(SlotUse, TellsTheMostIdleSlot) {
  SlotUse use;
  use.heard(second, protocol::AgentReady{}, 0);
  use.heard(first, protocol::AgentReady{}, 0);
  use.told(first, grant(1), 0);
  const IdleShares shares = use.shares(10);
  EXPECT_EQ(shares.slots, 2);
  EXPECT_DOUBLE_EQ(shares.mean, 0.5);
  EXPECT_DOUBLE_EQ(shares.most, 1);
  EXPECT_DOUBLE_EQ(shares.tail, 0.5);
}

TEST(SlotUse, IsNeverMoreThanAllOfTheTime) {
  SlotUse use;
  use.heard(first, protocol::AgentReady{}, 0);
  use.told(first, grant(1), 0);
  use.heard(first, result(0, 1e6), 10);  // the agent's clock was set
  EXPECT_EQ(use.shares(10).mean, 0);
  use.heard(second, result(0, 5), 10);  // nobody who joined
  use.told({7}, grant(1), 10);
  EXPECT_EQ(use.shares(10).slots, 1);
}

TEST(SlotUse, CountsABlockOfAGangForAllOfIt) {
  SlotUse use;
  for (const AgentId agent : {first, second}) use.heard(agent, protocol::AgentReady{}, 0);
  protocol::Grant together = grant(1);
  together.gang = {first, second};
  for (const AgentId agent : {first, second}) use.told(agent, together, 0);
  use.heard(first, result(1000, 1005), 5);
  EXPECT_DOUBLE_EQ(use.shares(10).mean, 0.5);
  EXPECT_DOUBLE_EQ(use.shares(10).most, 0.5);
}

}  // namespace
}  // namespace regatta::launcher
