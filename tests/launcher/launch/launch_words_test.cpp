#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "launch/launch.hpp"

namespace regatta::launcher {
namespace {

using testing::Contains;
using testing::ElementsAre;

RankPlace on(const std::string& node, std::vector<int> cpus) { return {node + " kernel", node, node, std::move(cpus)}; }

TEST(MpirunWords, NameHostsAndTheCoresOfEachRank) {
  const std::vector<RankPlace> places = {on("n1", {2, 3}), on("n1", {4, 5}), on("n2", {0, 1})};
  EXPECT_THAT(mpirun_words(places, "ranks", false),
              ElementsAre("mpirun", "-n", "3", "--host", "n1:2,n2:1", "--use-hwthread-cpus", "--mca",
                          "rmaps_rank_file_physical", "1", "--rankfile", "ranks"));
  EXPECT_EQ(rankfile(places), "rank 0=n1 slot=2,3\nrank 1=n1 slot=4,5\nrank 2=n2 slot=0,1\n");
}

TEST(MpirunWords, NeedNoNameOfTheOwnHost) {
  const std::vector<RankPlace> places = {on("n1", {0}), on("n1", {1})};
  EXPECT_THAT(mpirun_words(places, "ranks", false), Contains("localhost:2"));
  EXPECT_THAT(mpirun_words(places, "ranks", true), Contains("--allow-run-as-root"));
  EXPECT_EQ(rankfile(places), "rank 0=localhost slot=0\nrank 1=localhost slot=1\n");
}

TEST(SrunWords, BindEachRankToTheCoresOfItsSlot) {
  EXPECT_THAT(srun_words({on("n1", {0, 1}), on("n1", {66, 67}), on("n2", {0, 1}), on("n2", {66, 67})}),
              ElementsAre("srun", "--overlap", "--kill-on-bad-exit=1", "--nodes=2", "--ntasks=4", "--cpus-per-task=2",
                          "--cpu-bind=mask_cpu:0x3,0xc0000000000000000", "--ntasks-per-node=2", "--nodelist=n1,n2"));
}

TEST(SrunWords, LeaveTheCoresToSlurmWhereNodesNumberThemDifferently) {
  EXPECT_THAT(srun_words({on("n1", {0}), on("n2", {1})}), Contains("--cpu-bind=cores"));
}

TEST(SrunWords, NameTheNodeOfEachRankWhereNodesHaveUnequalNumbersOfThem) {
  const auto words = srun_words({on("n1", {0}), on("n1", {1}), on("n2", {0})});
  EXPECT_THAT(words, Contains("--distribution=arbitrary"));
  EXPECT_THAT(words, Contains("--nodelist=n1,n1,n2"));
}

}  // namespace
}  // namespace regatta::launcher
