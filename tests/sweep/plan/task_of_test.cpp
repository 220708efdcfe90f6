#include "regatta/sweep/task_of.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/processes.hpp"
#include "regatta/sweep/reader.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

Sweep parsed(const std::string& rest) {
  return parse_sweep(R"({"regatta": 1, "name": "n", "task": "benchmark", )" + rest + "}", "n.json");
}

TEST(TaskOf, HoldsWhatItsArmsNeed) {
  const Sweep sweep = parsed(
      R"("axes": {"engine": ["native"], "model": ["mlp-10"], "mode": ["eager", "graph"]},
         "compare": {"over": ["mode"], "baseline": {"mode": "eager"}}, "measure": {"per_contrast": "3s"},
         "limits": {"memory": "1GiB"})");
  const Plan plan = make_plan(sweep);
  const BlockTask task = task_of(sweep, plan, plan.blocks.at(0), {});
  EXPECT_EQ(task.hash, plan.blocks[0].hash);
  ASSERT_EQ(task.arms.size(), plan.blocks[0].arms.size());
  EXPECT_EQ(task.arms[0].parameters[Param::mode], Value(std::string("eager")));
  EXPECT_TRUE(task.arms[0].model.has_value());
  EXPECT_FALSE(task.arms[0].command.has_value());
  EXPECT_TRUE(task.has_baseline);
  EXPECT_EQ(task.has_clone, plan.blocks[0].has_clone);
  EXPECT_EQ(task.wanted_seconds, 3.0 * static_cast<double>(task.arms.size() - 1));
  EXPECT_EQ(task.planning_seconds, task.wanted_seconds);
  EXPECT_TRUE(task.spreads.empty()) << "nothing is known of this machine";
  EXPECT_EQ(task.limits.memory_bytes, std::uint64_t{1} << 30);
  EXPECT_EQ(task.contrasts, 1U);
  EXPECT_EQ(task.families, (std::vector<Family>{{0, 1}})) << "the clone has none";
  EXPECT_EQ(task.exclusions, 1U);
}

/// Pairs that scattered with so many degrees of freedom.
stats::SpreadHistory history(double degrees) {
  stats::SpreadHistory pairs;
  pairs.add(degrees * 1e-4, degrees, 0);
  return pairs;
}

TEST(TaskOf, TellsHowPairsLikeThoseOfEachArmScatteredBefore) {
  const Sweep sweep = parsed(
      R"("axes": {"engine": ["native", "numpy"], "model": ["mlp-10"], "mode": ["eager"]},
         "compare": {"over": ["engine"], "baseline": {"engine": "native"}})");
  const Plan plan = make_plan(sweep);
  const Block& block = plan.blocks.at(0);
  const auto class_at = [&](std::size_t arm) { return process_class(plan.trials[block.arms[arm].value].parameters); };
  RunFacts facts;
  facts.spreads.add(class_at(0), class_at(0), history(2));
  facts.spreads.add(class_at(1), class_at(0), history(3));
  facts.spreads.add("others", "others", history(50));
  const BlockTask task = task_of(sweep, plan, block, facts);
  ASSERT_EQ(task.spreads.size(), 1U) << "one for each arm but the baseline";
  EXPECT_EQ(task.spreads[0].degrees, 3 + 2) << "pairs of both, and clones of either";
  const BlockTask clone = task_of(sweep, plan, plan.blocks.at(1), facts);
  ASSERT_TRUE(clone.has_clone);
  EXPECT_EQ(clone.spreads.at(0), facts.spreads.of(class_at(0), class_at(0))) << "the clone repeats an arm";
}

TEST(TaskOf, CountsTheCellsOfItsSettingInAllBlocks) {
  const Sweep sweep = parsed(
      R"("axes": {"engine": ["native"], "mode": ["graph"], "model": ["mlp-10", "mlp-784"],
                  "batch": [1, 2, 3, 4, 5, 6, 7, 8, 9]},
         "compare": {"over": ["batch"], "baseline": {"batch": 1}})");
  const Plan plan = make_plan(sweep);
  ASSERT_GT(plan.blocks.size(), 2U) << "nine cells do not fit into one block";
  for (const Block& block : plan.blocks) {
    if (block.has_clone) continue;
    EXPECT_EQ(task_of(sweep, plan, block, {}).exclusions, 2 * 2 * 8U)
        << "over the baseline, which has an interval of its own, and before the best are measured again";
  }
}

TEST(TaskOf, CountsTheCellsOfOptionalEnginesToo) {
  const Sweep sweep = parsed(
      R"("axes": {"engine": ["native", "numpy?"], "mode": ["eager", "graph"], "model": ["mlp-10"], "batch": [1, 8]},
         "exclude": [{"engine": "numpy", "mode": "graph"}],
         "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "eager"}})");
  const Plan plan = make_plan(sweep);
  ASSERT_EQ(plan.blocks.size() - clones_of(plan), 4U) << "two settings, and behind both of them the optional engine";
  for (std::size_t at = 0; at < 4; ++at) EXPECT_EQ(task_of(sweep, plan, plan.blocks[at], {}).exclusions, 2 * 2U);
}

TEST(TaskOf, CountsTheContrastsOfTheSweepAndOfEachPairOfArms) {
  const Sweep sweep = parsed(
      R"("axes": {"engine": ["native", "numpy"], "model": ["mlp-10", "mlp-784"], "mode": ["eager", "graph"],
                  "batch": [1, 2, 4]},
         "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "eager"}})");
  const Plan plan = make_plan(sweep);
  ASSERT_EQ(plan.blocks.size() - clones_of(plan), 6U);
  for (const Block& block : plan.blocks) {
    if (block.has_clone) continue;
    const BlockTask task = task_of(sweep, plan, block, {});
    EXPECT_EQ(task.contrasts, 12U) << "numpy has no graph";
    EXPECT_EQ(task.families, (std::vector<Family>{{0, 6}, {1, 6}})) << "the same pairs in each of six settings";
  }
}

TEST(TaskOf, GivesABlockItsShareOfTheTotal) {
  const Sweep sweep = parsed(
      R"("axes": {"engine": ["native"], "model": ["mlp-10"], "batch": [8, 16, 32, 64]}, "measure": {"total": "8s"})");
  const Plan plan = make_plan(sweep);
  const BlockTask task = task_of(sweep, plan, plan.blocks.at(0), {.sharing = sharing_of(sweep, plan, {}, 1)});
  ASSERT_TRUE(task.wall_seconds);
  EXPECT_NEAR(*task.wall_seconds, 2, 1e-9) << "a quarter: all four ask for the same";
  EXPECT_EQ(task.contrasts, 0U);
}

TEST(TaskOf, NamesTheProgramOfACommand) {
  const Sweep sweep = parsed(R"("axes": {"engine": ["command"], "command": ["a"]},
                                "commands": {"a": {"argv": ["true", "x"], "metric": "json:t"}})");
  const Plan plan = make_plan(sweep);
  const ArmTask arm = task_of(sweep, plan, plan.blocks.at(0), {}).arms.at(0);
  ASSERT_TRUE(arm.command.has_value());
  EXPECT_EQ(arm.command->argv.back(), "x");
  EXPECT_EQ(arm.command->metric_key, "t");
  EXPECT_FALSE(arm.model.has_value());
}

TEST(TaskOf, NamesTheFilesOfTheUsersOwnData) {
  const Sweep sweep = parse_sweep(
      file_with(
          R"("axes": {"model": "mlp-10", "dataset": ["synthetic", "cells"]}, "datasets": {"cells": {"data": "c.csv"}})"),
      "/d/s.json", any_environment());
  const Plan plan = make_plan(sweep);
  EXPECT_FALSE(task_of(sweep, plan, plan.blocks.at(0), {}).arms.at(0).dataset.has_value());
  const ArmTask arm = task_of(sweep, plan, plan.blocks.at(1), {}).arms.at(0);
  ASSERT_TRUE(arm.dataset.has_value());
  EXPECT_EQ(arm.dataset->data, "/d/c.csv");
}

TEST(TaskOf, CountsSamplesWhereBatchesDiffer) {
  const std::string axes = R"("axes": {"engine": ["native"], "model": ["mlp-10"], "batch": [8, 32]},
                              "compare": {"over": ["batch"], "baseline": {"batch": 8}})";
  const Sweep sweep = parsed(axes);
  const Plan plan = make_plan(sweep);
  EXPECT_EQ(task_of(sweep, plan, plan.blocks.at(0), {}).arms.at(1).work_per_step, 32);
  const Sweep by_step = parsed(axes + R"(, "measure": {"metric": "time_per_step"})");
  EXPECT_EQ(task_of(by_step, plan, plan.blocks.at(0), {}).arms.at(1).work_per_step, 1);
}

TEST(TaskOf, ChangesTheParametersOfAnIntervention) {
  const Sweep sweep = parsed(R"("axes": {"engine": ["native"], "model": ["mlp-10"], "batch": [32]},
                                "measure": {"explain": true})");
  const Plan plan = make_plan(sweep);
  const BlockTask task = task_of(sweep, plan, plan.blocks.back(), {});
  EXPECT_TRUE(task.explains);
  const auto by_batch = std::ranges::find_if(
      task.arms, [](const ArmTask& arm) { return arm.intervention.kind == InterventionKind::batch; });
  ASSERT_NE(by_batch, task.arms.end());
  EXPECT_EQ(by_batch->parameters[Param::batch], Value(by_batch->intervention.batch));
  EXPECT_EQ(by_batch->work_per_step, 1) << "an intervention is about steps";
}

TEST(TaskOf, AsksForStepsWhereCellsAreExplained) {
  const Sweep sweep = parsed(R"("axes": {"engine": ["native"], "model": ["mlp-10"], "batch": [32]},
                                "measure": {"explain": true, "metric": "latency_p95"})");
  const Plan plan = make_plan(sweep);
  EXPECT_EQ(task_of(sweep, plan, plan.blocks.front(), {}).measure.metric, Metric::latency_p95);
  EXPECT_EQ(task_of(sweep, plan, plan.blocks.back(), {}).measure.metric, Metric::time_per_step);
}

}  // namespace
}  // namespace regatta::sweep
