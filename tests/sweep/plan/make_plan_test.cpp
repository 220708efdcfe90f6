#include "regatta/sweep/make_plan.hpp"

#include <gtest/gtest.h>

#include <map>
#include <set>

#include "regatta/sweep/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// "mlp-10 1 | mlp-10 2": the values of these parameters in each trial.
std::string trials_of(const Plan& plan, const std::vector<Param>& params) {
  std::string text;
  for (const Trial& trial : plan.trials) {
    if (!text.empty()) text += " | ";
    for (const Param param : params) text += (param == params.front() ? "" : " ") + to_text(trial.parameters[param]);
  }
  return text;
}

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
  EXPECT_EQ(plan.trials[1].skip_reason, "the engine numpy has no input pipeline (it has array)");
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

/// The summary of the same plan, and that of a plan which was made.
void expect_summary(const Sweep& sweep) {
  const Plan plan = make_plan(sweep);
  const PlanSummary summary = summarize(sweep);
  EXPECT_EQ(summary.points, plan.points);
  EXPECT_EQ(summary.merged, plan.merged);
  EXPECT_EQ(summary.trials, plan.trials.size());
  std::map<std::string, std::size_t> skipped;
  for (const Trial& trial : plan.trials) {
    if (trial.skip_reason) ++skipped[*trial.skip_reason];
  }
  EXPECT_EQ(summary.skipped, skipped);
  ASSERT_EQ(summary.no_contrasts.size(), plan.no_contrasts.size());
  for (std::size_t i = 0; i < plan.no_contrasts.size(); ++i) {
    EXPECT_EQ(summary.no_contrasts[i].first, plan.no_contrasts[i].reason);
    EXPECT_EQ(summary.no_contrasts[i].second, plan.no_contrasts[i].trials.size());
  }
  std::size_t blocks = 0;
  std::size_t arms = 0;
  std::size_t arms_of_plan = 0;
  for (const auto& [shape, count] : summary.blocks) {
    blocks += count;
    arms += count * shape.arms;
  }
  for (const Block& block : plan.blocks) arms_of_plan += block.arms.size();
  EXPECT_EQ(blocks, plan.blocks.size());
  EXPECT_EQ(arms, arms_of_plan);
}

TEST(Summary, CountsWhatThePlanWouldHold) {
  const std::string axes = R"("axes": {"engine": ["native", "numpy", "torch"], "mode": ["eager", "graph", "xla"],
    "model": ["mlp-10", "conv1d-small", "noop"], "batch": [1, 2, 3, 4], "input": ["array", "pipeline"]})";
  const std::string compare = R"(, "compare": {"over": ["engine", "mode"], "baseline": {"engine": "numpy"})";
  for (const std::string more : {"", R"(, "repeats": 3, "exclude": [{"batch": [1, 2], "engine": "numpy"}])",
                                 R"(, "measure": {"explain": true})"}) {
    expect_summary(sweep_with(axes + more));
    expect_summary(sweep_with(axes + more + compare + "}"));
    expect_summary(sweep_with(axes + more + compare + R"(, "pairs": "all"})"));
    expect_summary(sweep_with(axes + more + compare + R"(, "pairs": "one-factor"})"));
  }
}

TEST(Summary, AMillionPointsAreCountedWithoutAPlan) {
  const PlanSummary summary = summarize(sweep_with(
      R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "batch": {"linear": [1, 1000]},
         "seed": {"linear": [1, 500]}}, "compare": {"over": "engine", "baseline": {"engine": "native"}})"));
  EXPECT_EQ(summary.points, 1'000'000);
  EXPECT_EQ(summary.trials, 1'000'000U);
  const PlanSummary::Shape pair{2, true};
  const PlanSummary::Shape with_clone{3, true};
  EXPECT_EQ(summary.blocks, (std::map<PlanSummary::Shape, std::size_t>{{pair, 450'000}, {with_clone, 50'000}}));
}

}  // namespace
}  // namespace regatta::sweep
