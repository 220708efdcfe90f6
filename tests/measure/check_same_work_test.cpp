#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"

namespace regatta::measure {
namespace {

using ::testing::HasSubstr;

sweep::Parameters parameters() {
  sweep::Parameters result;
  for (const sweep::ParamInfo& row : sweep::parameter_table()) result.set(row.param, row.fallback);
  return result;
}

sweep::BlockTask computing(std::size_t arms) {
  auto task = comparison(arms, 1);
  for (auto& arm : task.arms) arm.parameters = parameters();
  return task;
}

BlockRun checked(SimulatedArms& port, const sweep::BlockTask& task) {
  BlockRun run(port, task);
  for_each_living(run, [&](Arm& arm) { prepare_arm(run, arm); });
  check_same_work(run);
  return run;
}

TEST(SameWorkOfABlock, IsFoundArmByArmAgainstTheBaseline) {
  SimulatedArms port({{}, {}, {.losses = {{1.1}}}});
  const auto task = computing(3);
  const BlockRun run = checked(port, task);
  EXPECT_EQ(run.arms[0].verified, sweep::Verified::yes);
  EXPECT_EQ(run.arms[1].verified, sweep::Verified::yes);
  EXPECT_EQ(run.arms[2].verified, sweep::Verified::no);
  EXPECT_THAT(run.arms[2].verified_detail, HasSubstr("1 and 1.1 are 9.1 % apart"));
}

TEST(SameWorkOfABlock, IsFoundAmongArmsOfEachBatch) {
  SimulatedArms port({{}, {.losses = {{2.0}}}, {}, {.losses = {{2.0}}}, {.losses = {{2.5}}}});
  auto task = computing(5);
  for (const std::size_t arm : {1, 3, 4}) task.arms[arm].parameters[sweep::Param::batch] = std::int64_t{7};
  const BlockRun run = checked(port, task);
  for (const std::size_t arm : {0, 1, 2, 3}) EXPECT_EQ(run.arms[arm].verified, sweep::Verified::yes) << arm;
  EXPECT_EQ(run.arms[4].verified, sweep::Verified::no);
  EXPECT_THAT(run.arms[4].verified_detail, HasSubstr("2 and 2.5 are 20 % apart"));
}

TEST(SameWorkOfABlock, IsUnknownOfTheOnlyOneOfItsBatch) {
  SimulatedArms port({{}, {}, {}});
  auto task = computing(3);
  task.arms[2].parameters[sweep::Param::batch] = std::int64_t{7};
  const BlockRun run = checked(port, task);
  EXPECT_EQ(run.arms[1].verified, sweep::Verified::yes);
  EXPECT_EQ(run.arms[2].verified, sweep::Verified::alone);
  EXPECT_EQ(port.count(Verb::check, 2), 0U) << "it would be compared with nothing";
}

TEST(SameWorkOfABlock, IsNotAskedOfPrograms) {
  SimulatedArms port({{}, {}});
  auto task = computing(2);
  task.arms[1].command = sweep::Command{"true", {"true"}, "", ""};
  const BlockRun run = checked(port, task);
  EXPECT_EQ(port.count(Verb::check, 0) + port.count(Verb::check, 1), 0U);
  EXPECT_EQ(run.arms[1].verified, sweep::Verified::unchecked);
}

TEST(SameWorkOfABlock, IsAtMostCloseBetweenPrecisions) {
  SimulatedArms port({{}, {.losses = {{1.02}}}});
  auto task = computing(2);
  task.arms[1].parameters[sweep::Param::precision] = std::string("bf16");
  BlockRun run = checked(port, task);
  EXPECT_EQ(run.arms[1].verified, sweep::Verified::close);
  EXPECT_EQ(run.arms[1].verified_detail, "different arithmetic");
  port.arms[1].losses = {{1.5}};
  EXPECT_EQ(checked(port, task).arms[1].verified, sweep::Verified::no);
}

TEST(SameWorkOfABlock, AsksWhatRoundingDoesOnlyWhereArmsDisagree) {
  SimulatedArms port({{}, {}});
  const auto task = computing(2);
  static_cast<void>(checked(port, task));
  EXPECT_EQ(port.count(Verb::check, 0), 1U);
  EXPECT_EQ(port.count(Verb::check, 1), 1U);
}

TEST(SameWorkOfABlock, IsJudgedByWhatRoundingDoesToTheBaseline) {
  SimulatedArms port({{.shaken = {{1.00001}}}, {.losses = {{1.00005}}}});
  const auto task = computing(2);
  EXPECT_EQ(checked(port, task).arms[1].verified, sweep::Verified::yes);
  port.arms[0].shaken.clear();
  EXPECT_EQ(checked(port, task).arms[1].verified, sweep::Verified::no);
  port.arms[1].shaken = {{1.1}};
  EXPECT_EQ(checked(port, task).arms[1].verified, sweep::Verified::no) << "an arm does not widen its own tolerance";
}

TEST(SameWorkOfABlock, NamesTheSideThatIsOffByDoublePrecision) {
  SimulatedArms port({{.losses = {{1.1}}, .exact = {{1.0}}}, {.exact = {{1.0}}}});
  const auto task = computing(2);
  EXPECT_THAT(checked(port, task).arms[1].verified_detail, HasSubstr("; the baseline is 9.1 % from the same step"));
}

TEST(SameWorkOfABlock, IsNoneOfModelsThatAreNotOfOneSize) {
  SimulatedArms port({{.own_weights = {{10, 2}}}, {.own_weights = {{12, 2}}}});
  const BlockRun run = checked(port, computing(2));
  EXPECT_EQ(run.arms[1].verified, sweep::Verified::no) << "though their losses agree";
  EXPECT_EQ(run.arms[1].verified_detail, "the models have 10 and 12 weights");
}

TEST(SameWorkOfABlock, IsNotVerifiedOfModelsThatStartFromOtherWeights) {
  SimulatedArms port({{.own_weights = {{10, 2}}}, {.losses = {{1.1}}, .own_weights = {{10, 3}}}});
  auto task = computing(2);
  EXPECT_EQ(checked(port, task).arms[1].verified, sweep::Verified::other_weights);
  task.arms[1].parameters[sweep::Param::precision] = std::string("bf16");
  EXPECT_EQ(checked(port, task).arms[1].verified, sweep::Verified::other_weights);
  port.arms[1].own_weights = port.arms[0].own_weights;
  EXPECT_EQ(checked(port, computing(2)).arms[1].verified, sweep::Verified::no);
}

TEST(SameWorkOfABlock, IsFoundInOtherTensorsOfModelsOfAUsersOwn) {
  const auto evidence_of = [](const char* name) {
    protocol::Evidence evidence;
    evidence.gradients = evidence.updates = {{{name, {1, name[0] == 'a' ? 0.5 : -0.5}}}};
    return evidence;
  };
  SimulatedArms port({{.evidence = evidence_of("a")}, {.evidence = evidence_of("b")}});
  EXPECT_EQ(checked(port, computing(2)).arms[1].verified, sweep::Verified::no) << "layers have names";
  for (SimulatedArm& arm : port.arms) arm.own_weights = {10, 2};
  EXPECT_EQ(checked(port, computing(2)).arms[1].verified, sweep::Verified::yes);
}

TEST(SameWorkOfABlock, IsWidenedByTheSweep) {
  SimulatedArms port({{}, {.losses = {{1.004}}}});
  auto task = computing(2);
  task.measure.same_work.loss = 0.005;
  EXPECT_EQ(checked(port, task).arms[1].verified, sweep::Verified::close);
}

TEST(SameWorkOfABlock, StaysUnknownWithoutLosses) {
  SimulatedArms port({{}, {.losses = {}}});
  const auto task = computing(2);
  const BlockRun run = checked(port, task);
  EXPECT_EQ(run.arms[1].verified, sweep::Verified::unchecked);
  EXPECT_EQ(run.arms[1].verified_detail, "no losses were reported");
}

}  // namespace
}  // namespace regatta::measure
