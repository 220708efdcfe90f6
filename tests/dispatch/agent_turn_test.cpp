#include "regatta/dispatch/agent_turn.hpp"

#include <gtest/gtest.h>

#include <utility>
#include <variant>
#include <vector>

namespace regatta::dispatch {
namespace {

protocol::Grant range(std::uint32_t first, std::uint32_t count) {
  return {{first}, count, {1}, {}, {}, {}, std::vector<sweep::BlockTask>(count)};
}

protocol::BlockResult result_of(const sweep::BlockTask& granted) {
  protocol::BlockResult result;
  result.block = granted.block;
  result.attempt = granted.attempt;
  return result;
}

std::vector<BlockIndex> given_back(AgentTurn& turn) {
  std::vector<BlockIndex> blocks;
  for (const protocol::AgentReply& reply : turn.take_messages()) {
    const auto& given = std::get<protocol::GivenBack>(reply).blocks;
    blocks.insert(blocks.end(), given.begin(), given.end());
  }
  return blocks;
}

TEST(AgentTurn, RunsTheBlocksOfARangeInTheirOrder) {
  AgentTurn turn({0});
  turn.receive(range(4, 2));
  EXPECT_EQ(turn.next().value().block, BlockIndex{4});
  EXPECT_EQ(turn.next().value().block, BlockIndex{5});
  EXPECT_FALSE(turn.next().has_value());
}

TEST(AgentTurn, StaysUntilEveryResultIsAcknowledged) {
  AgentTurn turn({0});
  turn.receive(range(4, 1));
  turn.ran(result_of(turn.next().value()));
  turn.receive(protocol::Finish{});
  EXPECT_FALSE(turn.done());
  turn.receive(protocol::Acknowledge{{4}, {1}});
  EXPECT_TRUE(turn.done());
}

TEST(AgentTurn, StopsAtAThousandUnacknowledgedResults) {
  AgentTurn turn({0});
  turn.receive(range(0, 1025));
  for (int i = 0; i < 1024; ++i) turn.ran(result_of(turn.next().value()));
  EXPECT_FALSE(turn.next().has_value());
  turn.receive(protocol::Acknowledge{{0}, {1}});
  EXPECT_EQ(turn.next().value().block, BlockIndex{1024});
}

TEST(AgentTurn, GivesBackWhatItHasNotBegunAndWhateverComesLater) {
  AgentTurn turn({0});
  turn.receive(range(0, 3));
  static_cast<void>(turn.next());
  turn.drain();
  EXPECT_EQ(given_back(turn), (std::vector<BlockIndex>{{1}, {2}}));
  turn.receive(range(7, 1));
  EXPECT_EQ(given_back(turn), (std::vector<BlockIndex>{{7}}));
  EXPECT_FALSE(turn.next().has_value());
}

std::vector<std::uint32_t> numbers(const std::vector<sweep::BlockTask>& lot) {
  std::vector<std::uint32_t> blocks;
  for (const sweep::BlockTask& task : lot) blocks.push_back(task.block.value);
  return blocks;
}

TEST(AgentTurn, ALotEndsWhereABlockDoesNotGoWithOthers) {
  AgentTurn turn({0});
  turn.receive(range(0, 8));
  const auto all_but_five = [](const sweep::BlockTask& task) { return task.block.value != 5; };
  EXPECT_EQ(numbers(turn.next_lot(3, all_but_five)), (std::vector<std::uint32_t>{0, 1, 2}));
  EXPECT_EQ(numbers(turn.next_lot(8, all_but_five)), (std::vector<std::uint32_t>{3, 4}));
  EXPECT_EQ(numbers(turn.next_lot(8, all_but_five)), (std::vector<std::uint32_t>{5}));
  EXPECT_EQ(numbers(turn.next_lot(8, all_but_five)), (std::vector<std::uint32_t>{6, 7}));
  EXPECT_TRUE(turn.next_lot(8, all_but_five).empty());
}

protocol::Grant part_of_tour(std::uint32_t first, std::uint32_t count, std::uint32_t to_come) {
  protocol::Grant grant = range(first, count);
  grant.tour = protocol::TourGrant{3, to_come};
  return grant;
}

TEST(AgentTurn, BeginsATourWhenAllOfItHasCome) {
  const auto all = [](const sweep::BlockTask&) { return true; };
  AgentTurn turn({0});
  turn.receive(range(0, 2));
  turn.receive(part_of_tour(2, 2, 1));
  EXPECT_EQ(numbers(turn.next_lot(8, all)), (std::vector<std::uint32_t>{0, 1})) << "a lot ends where it begins";
  EXPECT_TRUE(turn.next_lot(8, all).empty());
  turn.receive(part_of_tour(6, 1, 0));
  turn.receive(range(8, 1));
  EXPECT_EQ(numbers(turn.next_lot(1, all)), (std::vector<std::uint32_t>{2, 3, 6}));
  EXPECT_EQ(numbers(turn.next_lot(1, all)), (std::vector<std::uint32_t>{8}));
}

TEST(AgentTurn, AwaitsNoAcknowledgementOfAVisit) {
  AgentTurn turn({0});
  turn.receive(range(4, 1));
  protocol::BlockResult visited = result_of(turn.next().value());
  turn.receive(protocol::Finish{});
  visited.goes_on = true;
  turn.ran(visited);
  EXPECT_TRUE(turn.done());
  visited.goes_on = false;
  turn.ran(visited);
  EXPECT_FALSE(turn.done());
}

TEST(AgentTurn, ALotIsNoLargerThanWhatMayStayUnacknowledged) {
  AgentTurn turn({0});
  turn.receive(range(0, 1030));
  for (int i = 0; i < 1020; ++i) turn.ran(result_of(turn.next().value()));
  EXPECT_EQ(turn.next_lot(64, [](const auto&) { return true; }).size(), 4U);
}

TEST(AgentTurn, SaysNothingWhenThereIsNothingToGiveBack) {
  AgentTurn turn({0});
  turn.drain();
  EXPECT_TRUE(turn.take_messages().empty());
}

protocol::Grant range_on_device(std::uint32_t first, std::uint32_t count) {
  protocol::Grant grant = range(first, count);
  for (sweep::BlockTask& task : grant.tasks) {
    task.arms.resize(2);
    task.arms.back().parameters[sweep::Param::device] = std::string("cuda");
  }
  return grant;
}

TEST(AgentTurn, ReturnsBlocksOfADeviceThatWasSetAsideAndKeepsTheOthers) {
  AgentTurn turn({0});
  turn.receive(range_on_device(0, 2));
  turn.receive(range(2, 1));
  turn.lose_device(sweep::DeviceKind::cuda, "it fails");
  auto messages = turn.take_messages();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(std::get<protocol::DeviceLost>(messages.front()).reason, "it fails");
  EXPECT_EQ(std::get<protocol::DeviceLost>(messages.front()).blocks, (std::vector<BlockIndex>{{0}, {1}}));
  EXPECT_EQ(turn.next().value().block, BlockIndex{2});
  turn.receive(range_on_device(3, 1));  // sent before the coordinator knew
  messages = turn.take_messages();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(std::get<protocol::DeviceLost>(messages.front()).blocks, (std::vector<BlockIndex>{{3}}));
}

TEST(AgentTurn, SaysThatItsDeviceIsLostAlsoWithoutBlocks) {
  AgentTurn turn({0});
  turn.lose_device(sweep::DeviceKind::cuda, "it fails");
  EXPECT_EQ(turn.take_messages().size(), 1U);
}

TEST(AgentTurn, RunsBlocksThatNoDeviceIsLeftForWithoutIt) {
  AgentTurn turn({0});
  turn.lose_device(sweep::DeviceKind::cuda, "it fails");
  static_cast<void>(turn.take_messages());
  protocol::Grant grant = range_on_device(0, 1);
  grant.without_device = "nobody has one";
  turn.receive(grant);
  EXPECT_TRUE(turn.take_messages().empty());
  EXPECT_EQ(turn.next().value().without_device, "nobody has one");
}

protocol::Grant to_gang(std::uint32_t block) {
  protocol::Grant grant = range(block, 1);
  grant.gang = {{1}, {2}};
  return grant;
}

TEST(AgentTurn, RunsABlockOfItsGangWhetherItLeadsOrNot) {
  for (const AgentId own : {AgentId{1}, AgentId{2}}) {
    AgentTurn turn(own);
    turn.receive(to_gang(3));
    EXPECT_TRUE(turn.take_messages().empty());
    EXPECT_EQ(turn.next().value().gang, (std::vector<AgentId>{{1}, {2}}));
  }
}

TEST(AgentTurn, LetsItsGangGoAtADrainIfItLeadsAndWaitsForItsLeaderElse) {
  AgentTurn leader({1});
  leader.receive(to_gang(3));
  leader.drain();
  const auto messages = leader.take_messages();
  ASSERT_EQ(messages.size(), 1U);
  EXPECT_EQ(std::get<protocol::GivenBack>(messages.front()).blocks, (std::vector<BlockIndex>{{3}}));
  const auto left = leader.take_gangs_left();
  ASSERT_EQ(left.size(), 1U);
  EXPECT_EQ(left.front().agents, (std::vector<AgentId>{{1}, {2}}));
  EXPECT_EQ(left.front().block, BlockIndex{3});
  EXPECT_FALSE(leader.next().has_value());
  AgentTurn other({2});
  other.receive(to_gang(3));
  other.drain();
  EXPECT_TRUE(other.take_messages().empty());
  EXPECT_TRUE(other.next().has_value());
}

}  // namespace
}  // namespace regatta::dispatch
