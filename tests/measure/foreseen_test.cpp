#include "regatta/measure/foreseen.hpp"

#include <gtest/gtest.h>

#include "regatta/measure/run_block.hpp"
#include "regatta/model/model.hpp"
#include "simulated_arms.hpp"

namespace regatta::measure {
namespace {

sweep::BlockTask quick_block(std::int64_t slices) {
  sweep::BlockTask task;
  task.arms.resize(1);
  task.arms[0].model = model::Noop{};
  task.measure.slices = slices;
  task.measure.steps = 1;
  return task;
}

std::vector<Asked> slices_taken(const sweep::BlockTask& task) {
  SimulatedArms arms({SimulatedArm{}});
  BlockBudget budget;
  EXPECT_TRUE(std::holds_alternative<protocol::BlockResult>(run_block(arms, task, budget)));
  std::vector<Asked> slices;
  for (const Asked& asked : arms.asked) {
    EXPECT_TRUE(asked.verb == Verb::prepare || asked.verb == Verb::slice || asked.verb == Verb::release ||
                asked.verb == Verb::park);
    if (asked.verb == Verb::slice) slices.push_back(asked);
  }
  return slices;
}

TEST(Foreseen, IsWhatTheBlockThenAsksFor) {
  for (const std::int64_t slices : {1, 5, 16}) {
    const std::vector<SliceRequest> foreseen = foreseen_slices(quick_block(slices));
    const std::vector<Asked> taken = slices_taken(quick_block(slices));
    ASSERT_EQ(foreseen.size(), taken.size());
    for (std::size_t i = 0; i < taken.size(); ++i) {
      EXPECT_EQ(foreseen[i].order.phase, taken[i].phase);
      EXPECT_EQ(foreseen[i].order.length.steps, taken[i].length.steps);
      EXPECT_EQ(foreseen[i].order.length.group, taken[i].length.group);
      EXPECT_EQ(foreseen[i].order.length.reentry_steps, taken[i].length.reentry_steps);
      EXPECT_EQ(foreseen[i].order.length.wait_each, taken[i].length.wait_each);
      EXPECT_EQ(foreseen[i].order.slice, i + 1);
    }
  }
}

TEST(Foreseen, NothingIsWhereItDependsOnWhatIsMeasured) {
  const auto changed = [](const auto& change) {
    sweep::BlockTask task = quick_block(1);
    change(task);
    return foreseen_slices(task);
  };
  EXPECT_FALSE(changed([](sweep::BlockTask&) {}).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.measure.steps = 2; }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.measure.steps.reset(); }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.measure.slices.reset(); }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.measure.slices = 17; }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.arms.resize(2); }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.wall_seconds = 1; }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.leg = sweep::Leg{}; }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.dropped.resize(1); }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.arms[0].command = sweep::Command{}; }).empty());
  EXPECT_TRUE(changed([](sweep::BlockTask& task) { task.measure.metric = sweep::Metric::peak_memory; }).empty());
}

}  // namespace
}  // namespace regatta::measure
