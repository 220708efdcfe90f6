#include "devices/sharing.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using ::testing::HasSubstr;
using ::testing::ThrowsMessage;

SeenDevice seen(const std::string& uuid, std::int32_t index, std::vector<int> near = {}) {
  return {{sweep::DeviceKind::cuda, "NVIDIA H200", uuid, index}, std::move(near)};
}

RankView view(int rank, std::vector<SeenDevice> devices, std::vector<int> cores = {0}, int host = 0) {
  return {rank, host, "node" + std::to_string(host), std::move(cores), std::move(devices)};
}

std::vector<std::string> owners(const std::vector<RankView>& ranks) {
  std::vector<std::string> uuids;
  for (const auto& device : share_devices(ranks)) uuids.push_back(device ? device->uuid : "-");
  return uuids;
}

using Uuids = std::vector<std::string>;

TEST(Sharing, GivesRanksThatSeeTheSameOneEachInTheirOrder) {
  const std::vector<SeenDevice> both = {seen("A", 0), seen("B", 1)};
  EXPECT_EQ(owners({view(0, both), view(1, both), view(2, both)}), (Uuids{"A", "B", "-"}));
  EXPECT_EQ(share_devices({view(0, both), view(1, both)})[1]->index, 1);
}

TEST(Sharing, TakesWhatTheBatchSystemShowsEachRank) {
  EXPECT_EQ(owners({view(0, {seen("B", 0)}), view(1, {seen("A", 0)})}), (Uuids{"B", "A"}));
  EXPECT_EQ(owners({view(0, {seen("A", 0)}), view(1, {seen("A", 0), seen("B", 1)})}), (Uuids{"A", "B"}));
}

TEST(Sharing, LeavesRanksToTheDevicesNearTheirCores) {
  const std::vector<SeenDevice> both = {seen("far", 0, {4, 5}), seen("near", 1, {0, 1})};
  EXPECT_EQ(owners({view(0, both, {0}), view(1, both, {4})}), (Uuids{"near", "far"}));
  EXPECT_EQ(owners({view(0, {seen("A", 0, {4})}, {0}), view(1, {seen("A", 0, {4})}, {4})}), (Uuids{"-", "A"}));
  EXPECT_EQ(owners({view(0, {seen("A", 0, {4})}, {0})}), (Uuids{"A"})) << "a far one is better than none";
}

TEST(Sharing, GivesHostsTheirOwn) {
  EXPECT_EQ(owners({view(0, {seen("A", 0)}, {0}, 0), view(1, {seen("B", 0)}, {0}, 1)}), (Uuids{"A", "B"}));
}

TEST(Sharing, RefusesADeviceOfTwoHostsWithTheNamesOfBothRanks) {
  const std::vector<RankView> ranks = {view(0, {seen("A", 0)}, {0}, 0), view(3, {seen("A", 0)}, {0}, 3)};
  EXPECT_THAT(
      [&] { share_devices(ranks); },
      ThrowsMessage<InputError>(HasSubstr("rank 0 (node0) and rank 3 (node3) both see the device A as theirs")));
}

TEST(Sharing, TellsViewsAsText) {
  const RankView own = view(2, {seen("A", 1, {4, 5})}, {4}, 1);
  const RankView read = parse_rank_view(to_text(own));
  EXPECT_EQ(to_text(read), to_text(own));
  EXPECT_EQ(read.devices.at(0).near, (std::vector<int>{4, 5}));
  EXPECT_THROW(parse_rank_view("{}"), PeerLost);
  EXPECT_THROW(parse_rank_view(R"({"rank":0,"host":0,"host_name":"","cores":[],"devices":[{"kind":"tpu"}]})"),
               PeerLost);
}

}  // namespace
}  // namespace regatta::launcher
