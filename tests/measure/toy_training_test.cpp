// A toy of training: a second loop over the same arms, which may do one thing more.
#include <gtest/gtest.h>

#include <cmath>

#include "measure/prepare_arms.hpp"
#include "measure/simulated_arms.hpp"
#include "regatta/measure/block_run.hpp"
#include "regatta/measure/run_block.hpp"

namespace regatta::measure {
namespace {

using stats::Phase;

struct CurvePoint {
  std::int64_t steps = 0;  ///< of this arm so far
  double seconds = 0;
  double loss = 0;
};

/// What training asks of arms beside the verbs of the port.
class Trainer {
 public:
  Trainer() = default;
  Trainer(const Trainer&) = delete;
  Trainer& operator=(const Trainer&) = delete;
  virtual ~Trainer() = default;
  virtual CurvePoint train(ArmIndex arm, std::int64_t steps) = 0;
};

struct TrainingPort {
  Arms& arms;
  Trainer& trainer;
};

struct TrainingResult {
  std::vector<std::vector<CurvePoint>> curves;  ///< by arm
  std::vector<sweep::Outcome> outcomes;
  bool interrupted = false;
};

/// Living arms take turns; each leaves when its loss is low enough. A drain ends it after a complete round.
TrainingResult train_to(const TrainingPort& port, const sweep::BlockTask& task, double wanted_loss,
                        std::int64_t steps_each) {
  BlockRun run(port.arms, task);
  TrainingResult result;
  result.curves.resize(run.arms.size());
  prepare_arms(run);
  std::vector<std::size_t> turn = run.living;
  while (!turn.empty() && !result.interrupted) {
    for (const std::size_t at : turn) {
      for_living(run, at, [&](Arm& arm) {
        wake_arm(run, arm);
        result.curves[at].push_back(port.trainer.train(arm.index, steps_each));
      });
    }
    std::erase_if(turn,
                  [&](std::size_t at) { return !run.is_living(at) || result.curves[at].back().loss <= wanted_loss; });
    result.interrupted = !turn.empty() && run.port.interrupted();
  }
  for (const Arm& arm : run.arms) {
    result.outcomes.push_back(arm.outcome);
    run.port.release(arm.index);
  }
  return result;
}

/// Losses that halve every `half_steps`.
class SimulatedTraining final : public SimulatedArms, public Trainer {
 public:
  SimulatedTraining(std::vector<SimulatedArm> of_block, std::vector<double> halves)
      : SimulatedArms(std::move(of_block)), half_steps(std::move(halves)), trained(half_steps.size()) {}

  std::vector<double> half_steps;     ///< by arm
  std::vector<std::int64_t> trained;  ///< steps so far

  CurvePoint train(ArmIndex arm, std::int64_t steps) override {
    const SliceResult slice = SimulatedArms::slice(arm, {Phase::steady, 0, {.steps = steps, .group = steps}});
    std::int64_t& so_far = trained[arm.value];
    so_far += steps;
    return {so_far, slice.samples.front().seconds, std::exp2(-static_cast<double>(so_far) / half_steps[arm.value])};
  }
};

TrainingResult trained(SimulatedTraining& arms) { return train_to({arms, arms}, comparison(2, 60), 0.1, 100); }

TEST(ToyTraining, RunsASecondLoopOverTheSameArms) {
  SimulatedTraining arms({{}, {}}, {100, 200});
  const TrainingResult result = trained(arms);
  EXPECT_EQ(result.curves[0].size(), 4U) << "2^-4 is below 0.1";
  EXPECT_EQ(result.curves[1].size(), 7U);
  EXPECT_NEAR(result.curves[1].back().loss, std::exp2(-3.5), 1e-12);
  EXPECT_FALSE(result.interrupted);
  EXPECT_EQ(arms.broken_rules, std::vector<std::string>()) << "the others are parked while one trains";
  EXPECT_EQ(arms.count(Verb::release, 1), 1U);
}

TEST(ToyTraining, KeepsItsCurvesWhenADrainComesInTheMiddle) {
  SimulatedTraining arms({{}, {}}, {100, 200});
  arms.drain = [&] { return arms.trained[0] >= 200; };
  const TrainingResult result = trained(arms);
  EXPECT_TRUE(result.interrupted);
  EXPECT_EQ(result.curves[0].size(), 2U);
  EXPECT_EQ(result.curves[1].size(), 2U) << "the round was completed";
  EXPECT_EQ(arms.count(Verb::release, 0), 1U);
}

TEST(ToyTraining, IsNotInterruptedWhenAllIsLearnt) {
  SimulatedTraining arms({{}, {}}, {100, 100});
  arms.drain = [&] { return arms.trained[0] >= 400; };
  EXPECT_FALSE(trained(arms).interrupted);
}

TEST(ToyTraining, GoesOnWithoutAnArmThatEndsByItself) {
  SimulatedTraining arms({{}, {}}, {100, 200});
  arms.before = [](const Asked& asked) {
    if (asked == Asked{Verb::slice, 0, Phase::steady})
      throw ArmEnded{sweep::Failed{sweep::FailureKind::reported, "loss is nan"}};
  };
  const TrainingResult result = trained(arms);
  EXPECT_TRUE(result.curves[0].empty());
  EXPECT_EQ(result.curves[1].size(), 7U);
  EXPECT_EQ(sweep::reason_of(result.outcomes[0]),
            sweep::reason_of(sweep::Failed{sweep::FailureKind::reported, "loss is nan"}));
}

TEST(ToyTraining, LeavesTheFirstLoopAsItIs) {
  SimulatedTraining arms({{}, {.step_seconds = 1.5e-4}}, {100, 200});
  trained(arms);
  BlockBudget budget;
  EXPECT_EQ(std::get<protocol::BlockResult>(run_block(arms, comparison(2, 60), budget)).undecided, 0);
}

}  // namespace
}  // namespace regatta::measure
