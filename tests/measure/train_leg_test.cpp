#include <gtest/gtest.h>

#include "measure/measure.hpp"
#include "measure/simulated_arms.hpp"
#include "regatta/measure/run_block.hpp"

namespace regatta::measure {
namespace {

sweep::BlockTask leg_task() {
  sweep::BlockTask task = comparison(1, 1);
  task.has_baseline = false;
  task.leg = sweep::Leg{sweep::Purpose::search, 0, 1, 0.25, 0.5};
  task.training.steps = 100;
  task.objective.margin = 0.02;
  return task;
}

class TrainLeg : public ::testing::Test {
 protected:
  TrainLeg() { port.learned.best_step = 7; }

  protocol::BlockResult run() {
    BlockBudget budget;
    return std::get<protocol::BlockResult>(run_block(port, task, budget));
  }

  SimulatedArms port{{{.step_seconds = 1e-3}}};
  sweep::BlockTask task = leg_task();
};

TEST_F(TrainLeg, AsksTheArmForItsLegAndKeepsWhatItLearned) {
  const protocol::BlockResult result = run();
  ASSERT_EQ(port.trained.size(), 1U);
  EXPECT_EQ(port.trained[0].leg, *task.leg);
  EXPECT_EQ(port.trained[0].training, task.training);
  EXPECT_EQ(port.trained[0].objective, task.objective);
  EXPECT_EQ(result.arms.at(0).learned, port.learned);
  EXPECT_TRUE(std::holds_alternative<sweep::Finished>(result.arms[0].outcome));
  EXPECT_EQ(port.broken_rules, std::vector<std::string>());
}

TEST_F(TrainLeg, MeasuresNothing) {
  run();
  EXPECT_EQ(port.count(Verb::slice, 0), 0U);
  EXPECT_EQ(port.count(Verb::check, 0), 0U);
}

TEST_F(TrainLeg, AnArmThatEndsByItselfLeavesAResult) {
  port.before = [](const Asked& asked) {
    if (asked.verb == Verb::train) throw ArmEnded{sweep::Failed{sweep::FailureKind::reported, "no such data"}};
  };
  const protocol::BlockResult result = run();
  EXPECT_EQ(sweep::reason_of(result.arms.at(0).outcome), "reported: no such data");
  EXPECT_EQ(result.arms[0].learned, std::nullopt);
}

TEST_F(TrainLeg, ADrainGivesTheLegBackForItsCheckpointHoldsWhatWasDone) {
  port.drain = [] { return true; };
  BlockBudget budget;
  EXPECT_TRUE(std::holds_alternative<protocol::GivenBack>(run_block(port, task, budget)));
  EXPECT_EQ(port.count(Verb::train, 0), 0U);
}

TEST_F(TrainLeg, ADeathEndsTheAttempt) {
  port.before = [](const Asked& asked) {
    if (asked.verb == Verb::train) throw ArmDied{{0}, sweep::FailureKind::crashed, "killed"};
  };
  BlockBudget budget;
  EXPECT_TRUE(std::holds_alternative<protocol::AttemptFailed>(run_block(port, task, budget)));
}

}  // namespace
}  // namespace regatta::measure
