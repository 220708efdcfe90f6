#include <gtest/gtest.h>

#include "sweep/plan/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// "*0 1 | 2 *3": the members of each group, a star before its baseline.
std::string groups_with(const std::string& keys) {
  const Sweep sweep = sweep_with(keys);
  const Points points(sweep);
  Kinds kinds(sweep);
  Plan plan;
  const std::vector<TrialIndex> trial_of_point = add_trials(sweep, points, kinds, plan);
  std::string text;
  for (const Group& group : group_points(sweep, points, kinds, plan.trials, trial_of_point)) {
    if (!text.empty()) text += " | ";
    std::string separator;
    for (const TrialIndex trial : group.members) {
      text += separator + (trial == group.baseline ? "*" : "") + std::to_string(trial.value);
      separator = " ";
    }
  }
  return text;
}

TEST(Groups, AreEqualInEveryAxisThatIsNotCompared) {
  EXPECT_EQ(groups_with(R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10", "batch": [1, 2]},
    "compare": {"over": "mode", "baseline": {"mode": "graph"}})"),
            "0 *2 | 1 *3");
}

TEST(Groups, AnIncludedArmJoinsTheGroupOfItsValues) {
  EXPECT_EQ(groups_with(R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10", "batch": [1, 2]},
    "include": [{"mode": "graph", "batch": 1, "precision": "fp32"}, {"batch": 4}],
    "compare": {"over": "mode", "baseline": {"mode": "graph"}})"),
            "0 *2 *2 | 1 *3 | 4 *5");
}

TEST(Groups, AnArmStandsBesideEveryLevelOfAConditionalAxisThatItDoesNotRead) {
  // native: 0 (batch 1), 1 (batch 2); tensorflow fit and train_on_batch: 2 3 (batch 1), 4 5 (batch 2).
  const std::string axes = R"("axes": {"engine": ["native", "tensorflow"], "model": "mlp-10", "batch": [1, 2]},
    "when": [{"if": {"engine": "tensorflow"}, "axes": {"loop": ["fit", "train_on_batch"]}}],)";
  EXPECT_EQ(groups_with(axes + R"("compare": {"over": "engine", "baseline": {"engine": "native"}})"),
            "*0 | *1 | 2 *0 | 3 *0 | 4 *1 | 5 *1");
  EXPECT_EQ(groups_with(axes + R"("compare": {"over": "engine", "baseline": {"engine": "tensorflow"}})"),
            "0 | 1 | *2 0 | *3 0 | *4 1 | *5 1");
}

TEST(Groups, AnArmThatReadsAConditionalAxisHasItsDefaultWhereItIsAbsent) {
  // native reads threads: with mode eager it has one.
  EXPECT_EQ(groups_with(R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10"},
    "when": [{"if": {"mode": "graph"}, "axes": {"threads": [1, 2]}}],
    "compare": {"over": "mode", "baseline": {"mode": "eager"}})"),
            "*0 1 | 2");
}

}  // namespace
}  // namespace regatta::sweep
