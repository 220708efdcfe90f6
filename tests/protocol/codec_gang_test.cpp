#include <gtest/gtest.h>

#include "protocol/messages.hpp"
#include "regatta/protocol/codec.hpp"

namespace regatta::protocol {
namespace {

const GangPlace place{{7}, {2}, {1}};

template <class Message>
Message there_and_back(const Message& message) {
  return std::get<Message>(parse_gang_message(to_packed(GangMessage(message))));
}

TEST(CodecGang, KeepsWhatTheLeaderOrders) {
  EXPECT_TRUE(there_and_back(GangPrepare{place, true}).fresh);
  const GangJoin join = there_and_back(GangJoin{place, {"/proc/1/fd/3", "/proc/2/fd/3"}, "/proc/1/fd/4"});
  EXPECT_EQ(join.members.at(1), "/proc/2/fd/3");
  EXPECT_EQ(join.stop, "/proc/1/fd/4");
  EXPECT_TRUE(join.hosts.empty());
  const GangJoin apart = there_and_back(GangJoin{place, {"/proc/1/fd/3", "/proc/1/fd/3"}, "", {"a", "b"}, 4});
  EXPECT_EQ(apart.hosts.at(1), "b");
  EXPECT_EQ(apart.join, 4U);
  const GangSlice slice = there_and_back(GangSlice{place, {stats::Phase::warmup, 3, {4, 50, 6, true}}});
  EXPECT_EQ(slice.place, place);
  EXPECT_EQ(slice.order, (stats::SliceOrder{stats::Phase::warmup, 3, {4, 50, 6, true}}));
  EXPECT_EQ(there_and_back(GangCheck{place, 5}).steps, 5);
  const GangTrain train = there_and_back(GangTrain{place, "out/a.safetensors", "00ff"});
  EXPECT_EQ(train.checkpoint_path, "out/a.safetensors");
  EXPECT_EQ(train.checkpoint_hash, "00ff");
  EXPECT_FALSE(there_and_back(GangPause{place, false}).stopped);
  EXPECT_TRUE(there_and_back(GangRelease{place, true}).evicts);
  EXPECT_EQ(there_and_back(GangRun{place, {{"RANK", "1"}}}).variables.at("RANK"), "1");
  EXPECT_EQ(there_and_back(GangStop{place}).place, place);
  EXPECT_EQ(there_and_back(GangEnd{place}).place, place);
}

TEST(CodecGang, KeepsWhatTheOthersAnswer) {
  const GangDone done = there_and_back(
      GangDone{place, "here", "/proc/2/fd/3", {30, 20, 10}, {{0.5, 0.25}}, testing::some_samples(), "fused"});
  EXPECT_EQ(done.losses, (std::vector<std::vector<double>>{{0.5, 0.25}}));
  EXPECT_EQ(done.samples.size(), testing::some_samples().size());
  EXPECT_EQ(done.host, "here");
  EXPECT_EQ(done.memory, (ProcessMemory{30, 20, 10}));
  EXPECT_EQ(done.arithmetic, "fused");
  GangDone told;
  told.host_name = "n2";
  told.address = "n2.site";
  told.cpus = {2, 3};
  told.visible_device = "GPU-1";
  told.seconds = 1.5;
  told = there_and_back(told);
  EXPECT_EQ(told.host_name, "n2");
  EXPECT_EQ(told.address, "n2.site");
  EXPECT_EQ(told.cpus, (std::vector<int>{2, 3}));
  EXPECT_EQ(told.visible_device, "GPU-1");
  EXPECT_EQ(told.seconds, 1.5);
  const GangFailed failed = there_and_back(GangFailed{place, 12.5, true, sweep::FailureKind::crashed, false,
                                                      sweep::SkipKind::unsupported, true, "killed by signal 9", true});
  EXPECT_TRUE(failed.died);
  EXPECT_TRUE(failed.gave_up);
  EXPECT_TRUE(failed.told);
  EXPECT_EQ(failed.kind, sweep::FailureKind::crashed);
  EXPECT_EQ(failed.message, "killed by signal 9");
}

}  // namespace
}  // namespace regatta::protocol
