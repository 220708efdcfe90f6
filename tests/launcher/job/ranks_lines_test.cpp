#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "job/job.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

sweep::Sweep sweep_of(const std::string& axes) {
  return sweep::parse_sweep(R"({"regatta": 1, "name": "r", "axes": {"model": "mlp-784", "batch": 128, )" + axes + "}}",
                            "r.json");
}

std::string line_for(const std::string& axes) {
  const sweep::Sweep sweep = sweep_of(axes);
  return shards_line(sweep, sweep::make_plan(sweep));
}

TEST(RanksLine, SaysHowManyAgentsTrialsWant) {
  const sweep::Sweep sweep = sweep_of(R"("mode": ["eager", "graph"], "ranks": [1, 2, 4, 128])");
  EXPECT_EQ(ranks_line(sweep, sweep::make_plan(sweep)),
            "ranks: 2 trials of 2, 2 trials of 4; run with --ranks 4, or as many tasks of mpirun or srun: a trial "
            "of more ranks than the run has is skipped")
      << "no trial of 128 ranks can run";
}

TEST(RanksLine, IsMissingWhereNoTrialHasSeveralRanks) {
  const sweep::Sweep sweep = sweep_of(R"("ranks": [1])");
  EXPECT_EQ(ranks_line(sweep, sweep::make_plan(sweep)), "");
}

TEST(ShardsLine, SaysThatRanksWhichAreAllSkippedMakeShards) {
  EXPECT_EQ(line_for(R"("ranks": [1, 128])"),
            "shards: 64 in every trial, of one rank too, for more ranks that the sweep names, all of which are skipped "
            "(without ranks above 8 there are 8)");
}

TEST(ShardsLine, SaysThatAJobTooSmallKeepsThem) {
  EXPECT_THAT(line_for(R"("ranks": [1, 16])"),
              StartsWith("shards: 16 in every trial, of one rank too, for the 16 ranks"));
  EXPECT_THAT(line_for(R"("ranks": [1, 16])"), HasSubstr("the others keep 16 all the same"));
}

TEST(ShardsLine, IsMissingWhereShardsAreUsualOrNamed) {
  EXPECT_EQ(line_for(R"("ranks": [1, 2, 8])"), "");
  EXPECT_EQ(line_for(R"("ranks": [1, 16], "shards": [16])"), "");
  EXPECT_EQ(line_for(R"("mode": "graph")"), "");
}

std::string moments_for(const std::string& keys, const std::string& axes) {
  const sweep::Sweep sweep = sweep::parse_sweep(
      R"({"regatta": 1, "name": "r", )" + keys +
          R"("axes": {"model": [{"name": "normed", "input": [8], "layers": [{"batch_norm": true}, {"dense": 1}],
             "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}}, "mlp-10"], "batch": 128, )" +
          axes + "}}",
      "r.json");
  return moments_line(sweep::make_plan(sweep));
}

TEST(MomentsLine, SaysWhatBatchNormTakesItsMomentsOver) {
  EXPECT_EQ(moments_for("", R"("ranks": [1, 2, 4])"),
            "batch_norm takes its moments over each shard or rank's part by itself in 3 trials (batch_statistics)");
  EXPECT_EQ(moments_for(R"("task": "train", "train": {"epochs": 1}, )", R"("ranks": [1, 2])"),
            "batch_norm takes its moments over the whole batch in 2 trials (batch_statistics)");
  EXPECT_EQ(moments_for("", R"("ranks": [2], "batch_statistics": ["batch", "shard"])"),
            "batch_norm takes its moments over the whole batch in 1 trial, over each shard or rank's part by itself in "
            "1 trial (batch_statistics)");
  EXPECT_EQ(moments_for("", R"("ranks": [1])"), "");
}

}  // namespace
}  // namespace regatta::launcher
