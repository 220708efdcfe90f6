#include <gmock/gmock.h>

#include <set>

#include "sweep/plan/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

const std::string two_modes = R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10", "batch": [1, 32]},
  "compare": {"over": "mode", "baseline": {"mode": "graph"}})";
const std::string asked = R"(, "measure": {"explain": true})";

std::vector<Block> explaining(const Plan& plan) {
  std::vector<Block> blocks;
  std::ranges::copy_if(plan.blocks, std::back_inserter(blocks), &Block::is_intervention);
  return blocks;
}

TEST(Explain, ChangesNeitherTrialsNorTheirBlocks) {
  const Plan without = plan_with(two_modes);
  const Plan with = plan_with(two_modes + asked);
  ASSERT_EQ(with.trials.size(), without.trials.size());
  for (std::size_t i = 0; i < with.trials.size(); ++i) EXPECT_EQ(with.trials[i].hash, without.trials[i].hash);
  ASSERT_GT(with.blocks.size(), without.blocks.size());
  for (std::size_t i = 0; i < without.blocks.size(); ++i) {
    EXPECT_EQ(with.blocks[i].hash, without.blocks[i].hash);
    EXPECT_EQ(with.blocks[i].arms, without.blocks[i].arms);
    EXPECT_FALSE(with.blocks[i].is_intervention());
  }
  EXPECT_TRUE(explaining(without).empty());
}

TEST(Explain, HasABlockForEachRunnableTrialOfWhichAllArmsAreThatTrial) {
  const Plan plan = plan_with(two_modes + asked);
  const auto blocks = explaining(plan);
  ASSERT_EQ(blocks.size(), plan.trials.size());
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    EXPECT_EQ(blocks[i].arms, std::vector<TrialIndex>(blocks[i].interventions.size(), plan.trials[i].index));
    EXPECT_EQ(blocks[i].interventions.front(), Intervention{});
    EXPECT_TRUE(blocks[i].has_baseline);
    EXPECT_FALSE(blocks[i].has_clone);
    EXPECT_LE(blocks[i].arms.size(), max_distinct_arms);
    EXPECT_EQ(plan.blocks[blocks[i].index.value].hash, blocks[i].hash);
  }
}

TEST(Explain, BlocksHaveIdentitiesOfTheirOwn) {
  const Plan plan = plan_with(R"("axes": {"model": "mlp-10", "batch": [1, 32]})" + asked);
  std::set<Hash128> hashes;
  for (const Block& block : plan.blocks) hashes.insert(block.hash);
  EXPECT_EQ(hashes.size(), 4U);
}

TEST(Explain, LeavesOutSkippedTrialsCommandsAndRepetitions) {
  EXPECT_TRUE(explaining(plan_with(R"("axes": {"model": "cnn-28", "engine": "numpy"})" + asked)).empty());
  EXPECT_TRUE(explaining(plan_with(R"("axes": {"engine": "command", "command": "c"},
    "commands": {"c": {"argv": ["true"]}})" +
                                   asked))
                  .empty());
  EXPECT_EQ(explaining(plan_with(R"("axes": {"model": "mlp-10"}, "repeats": 3)" + asked)).size(), 1U);
}

TEST(Explain, NeedsTheCoresOfItsTrial) {
  const auto blocks = explaining(plan_with(R"("axes": {"model": "mlp-10", "threads": [1, 2]})" + asked));
  ASSERT_EQ(blocks.size(), 2U);
  EXPECT_EQ(blocks[0].demand.cores, 1);
  EXPECT_EQ(blocks[1].demand.cores, 2);
}

}  // namespace
}  // namespace regatta::sweep
