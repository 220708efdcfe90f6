#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/launch.hpp"

namespace regatta::launcher {
namespace {

using sweep::Launch;
using testing::Contains;
using testing::ElementsAre;
using testing::Key;
using testing::Not;
using testing::Pair;

RankPlace on(const std::string& node, std::vector<int> cpus, const std::string& device = "") {
  return {node + " kernel", node, node + ".site", std::move(cpus), device};
}

TEST(RankVariables, CountRanksOfAllNodesAndOfTheOwnOne) {
  const auto variables = rank_variables(Launch::env, {on("n1", {0}), on("n1", {1}), on("n2", {0})}, 2345);
  ASSERT_EQ(variables.size(), 3U);
  EXPECT_EQ(variables[2].at("RANK"), "2");
  EXPECT_EQ(variables[2].at("LOCAL_RANK"), "0");
  EXPECT_EQ(variables[1].at("LOCAL_RANK"), "1");
  EXPECT_EQ(variables[1].at("WORLD_SIZE"), "3");
  EXPECT_EQ(variables[1].at("LOCAL_WORLD_SIZE"), "2");
  EXPECT_EQ(variables[2].at("LOCAL_WORLD_SIZE"), "1");
  EXPECT_EQ(variables[0].at("NODE_RANK"), "0");
  EXPECT_EQ(variables[2].at("NODE_RANK"), "1");
  EXPECT_EQ(variables[2].at("NNODES"), "2");
}

TEST(RankVariables, HaveRanksMeetByTheLoopbackOnOneNodeAlone) {
  const auto one = rank_variables(Launch::env, {on("n1", {0}), on("n1", {1})}, 2345);
  EXPECT_EQ(one[1].at("MASTER_ADDR"), "127.0.0.1");
  EXPECT_EQ(one[1].at("MASTER_PORT"), "2345");
  EXPECT_THAT(one[1], Contains(Pair("GLOO_SOCKET_IFNAME", "lo")));
  const auto two = rank_variables(Launch::env, {on("n1", {0}), on("n2", {0})}, 2345);
  EXPECT_EQ(two[1].at("MASTER_ADDR"), "n1.site");
  EXPECT_THAT(two[1], Not(Contains(Key("GLOO_SOCKET_IFNAME"))));
}

TEST(RankVariables, LookLikeTorchrunsWhereTheSweepSaysSo) {
  const std::vector<RankPlace> places = {on("n1", {0}), on("n1", {1})};
  EXPECT_THAT(rank_variables(Launch::env, places, 1)[0], Not(Contains(Key("TORCHELASTIC_RUN_ID"))));
  const auto variables = rank_variables(Launch::torchrun, places, 1);
  EXPECT_THAT(variables[0], Contains(Key("TORCHELASTIC_RUN_ID")));
  EXPECT_EQ(variables[1].at("ROLE_RANK"), "1");
  EXPECT_EQ(variables[1].at("ROLE_WORLD_SIZE"), "2");
}

TEST(RankVariables, ShowEachRankTheDevicesOfItsNode) {
  const std::vector<RankPlace> places = {on("n1", {0}, "GPU-a"), on("n2", {0}, "GPU-b"), on("n1", {1}, "GPU-c")};
  EXPECT_EQ(devices_of_node(places, places[2]), "GPU-a,GPU-c");
  EXPECT_EQ(devices_of_node(places, places[1]), "GPU-b");
  EXPECT_EQ(devices_of_node({on("n1", {0}, "GPU-a"), on("n1", {1})}, on("n1", {})), "");
}

TEST(RankVariables, GiveAProgramTheCoresOfAllItsSlotsOnANode) {
  const std::vector<RankPlace> places = {on("n1", {4, 5}), on("n2", {0, 1}), on("n1", {2, 3})};
  EXPECT_THAT(cores_of_node(places, places[0]), ElementsAre(2, 3, 4, 5));
  EXPECT_EQ(node_count(places), 2U);
}

}  // namespace
}  // namespace regatta::launcher
