#include "dispatch/block_records.hpp"

#include <gtest/gtest.h>

#include "test_env.hpp"

namespace regatta::dispatch::testing {
namespace {

TEST(BlockRecords, NameTheTrialsOfTheArmsThatAnAgentReports) {
  const TestEnv env(2);
  protocol::BlockResult result;
  result.block = {1};
  result.attempt = {3};
  result.end_wall_seconds = 7;
  result.arms.emplace_back().outcome = sweep::Finished{};
  const results::BlockRecord record = record_of(env.plan(), {5}, result);
  EXPECT_EQ(record.block, env.plan().blocks[1].hash);
  EXPECT_EQ(record.attempt, 3U);
  EXPECT_EQ(record.agent, 5U);
  EXPECT_EQ(record.end_wall_seconds, 7);
  ASSERT_EQ(record.arms.size(), 1U);
  EXPECT_EQ(record.arms.front().trial, env.plan().trials[env.plan().blocks[1].arms[0].value].hash);
  EXPECT_EQ(record.arms.front().engine, "native");
}

TEST(BlockRecords, OfBlocksThatNobodyRanBeginAndEndAtOnce) {
  const TestEnv env(1);
  std::vector<sweep::ArmOutcome> arms(1);
  arms.front().outcome = sweep::Skipped{"too large"};
  const auto record = record_without_run(env.plan(), env.plan().blocks[0], {1}, arms, 12);
  EXPECT_EQ(record.start_wall_seconds, 12);
  EXPECT_EQ(record.end_wall_seconds, 12);
  EXPECT_EQ(std::get<sweep::Skipped>(record.arms.front().outcome).reason, "too large");
}
TEST(BlockRecords, OfFinalsSayThatTheirCellsWereChosen) {
  const TestEnv env(2);
  sweep::Plan plan = env.plan();
  plan.blocks[1].is_final = true;
  for (const std::uint32_t block : {0U, 1U}) {
    protocol::BlockResult result;
    result.block = {block};
    EXPECT_EQ(record_of(plan, {0}, result).measured_again, block == 1);
    EXPECT_EQ(record_without_run(plan, plan.blocks[block], {1}, {}, 0).measured_again, block == 1);
  }
}

}  // namespace
}  // namespace regatta::dispatch::testing
