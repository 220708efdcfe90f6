#include "regatta/sweep/make_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "regatta/sweep/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(Plan, TrialsStandInFileOrderTheLastAxisFastest) {
  const Plan plan = plan_with(R"("axes": {"batch": [2, 1], "model": "mlp-10", "mode": ["graph", "eager"]})");
  EXPECT_EQ(trials_of(plan, {Param::batch, Param::mode}), "2 graph | 2 eager | 1 graph | 1 eager");
  for (std::uint32_t i = 0; i < plan.trials.size(); ++i) EXPECT_EQ(plan.trials[i].index, TrialIndex{i});
  EXPECT_EQ(plan.points, 4);
  EXPECT_EQ(plan.merged, 0);
}

TEST(Plan, RepeatsAreOutermost) {
  const Plan plan = plan_with(R"("axes": {"batch": [1, 2], "model": "mlp-10"}, "repeats": 2)");
  EXPECT_EQ(trials_of(plan, {Param::repeat, Param::batch}), "0 1 | 0 2 | 1 1 | 1 2");
  EXPECT_EQ(plan.points, 4);
}

TEST(Plan, SkippedTrialsStayInTheListButInNoBlock) {
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "input": "pipeline"})");
  ASSERT_EQ(plan.trials.size(), 2U);
  EXPECT_FALSE(plan.trials[0].skip_reason);
  EXPECT_EQ(plan.trials[1].skip_reason, "the engine numpy has no input pipeline (it has array, loader)");
  ASSERT_EQ(plan.blocks.size(), 1U);
  EXPECT_EQ(plan.blocks[0].arms, std::vector<TrialIndex>{TrialIndex{0}});
}

TEST(Plan, AHundredThousandPointsHaveIdentitiesOfTheirOwn) {
  const Plan plan = plan_with(R"("axes": {"model": "noop"}, "repeats": 100000)");
  std::set<Hash128> hashes;
  for (const Trial& trial : plan.trials) hashes.insert(trial.hash);
  EXPECT_EQ(hashes.size(), 100000U);
  EXPECT_EQ(plan.blocks.size(), 100000U);
}

}  // namespace
}  // namespace regatta::sweep
