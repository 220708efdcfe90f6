#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "sweep/plan/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// "1 2: reason" for each line about arms without contrast.
std::vector<std::string> lines_of(const Plan& plan) {
  std::vector<std::string> lines;
  for (const NoContrast& line : plan.no_contrasts) {
    std::string text;
    for (const TrialIndex trial : line.trials) text += (text.empty() ? "" : " ") + std::to_string(trial.value);
    lines.push_back(text + ": " + line.reason);
  }
  return lines;
}

TEST(Blocks, WithoutAComparisonEachTrialHasItsOwn) {
  const Plan plan = plan_with(R"("axes": {"model": "mlp-10", "batch": [1, 2, 4]})");
  EXPECT_EQ(blocks_of(plan), "0 | 1 | 2");
  for (std::uint32_t i = 0; i < plan.blocks.size(); ++i) EXPECT_EQ(plan.blocks[i].index, BlockIndex{i});
}

TEST(Blocks, ArmsOfAComparisonAreEqualInAllElse) {
  const Plan plan = plan_with(R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10", "batch": [1, 2]},
    "compare": {"over": "mode", "baseline": {"mode": "graph"}})");
  EXPECT_EQ(blocks_of(plan), "*2 0 | *3 1");  // trials: eager 1, eager 2, graph 1, graph 2
  EXPECT_TRUE(plan.no_contrasts.empty());
}

TEST(Blocks, HoldAtMostSixArmsAndAlwaysTheBaseline) {
  const Plan plan = plan_with(R"("axes": {"model": "mlp-10", "batch": [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]},
    "compare": {"over": ["batch"], "baseline": {"batch": 3}})");
  EXPECT_EQ(blocks_of(plan), "*2 0 1 3 4 5 | *2 6 7 8 9 10 | *2 11");
}

TEST(Blocks, ALevelAddedAtTheEndLeavesEarlierBlocksAsTheyWere) {
  const auto plan = [](const std::string& more) {
    return plan_with("\"axes\": {\"model\": \"mlp-10\", \"batch\": [1, 2, 3, 4, 5, 6, 7" + more +
                     "]}, \"compare\": {\"over\": [\"batch\"], \"baseline\": {\"batch\": 1}}");
  };
  EXPECT_EQ(plan("").blocks.at(0).hash, plan(", 8").blocks.at(0).hash);
  EXPECT_NE(plan("").blocks.at(1).hash, plan(", 8").blocks.at(1).hash);
}

TEST(Blocks, RepeatsCanBeComparedWithEachOther) {
  const Plan plan = plan_with(R"("axes": {"model": "mlp-10", "batch": [1, 2]}, "repeats": 3,
    "compare": {"over": "repeat", "baseline": {"repeat": 0}})");
  EXPECT_EQ(blocks_of(plan), "*0 2 4 | *1 3 5");
}

TEST(Blocks, RepeatsThatAreNotComparedAreComparisonsOfTheirOwn) {
  const Plan plan = plan_with(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"]}, "repeats": 2,
    "compare": {"over": "mode", "baseline": {"mode": "eager"}})");
  EXPECT_EQ(blocks_of(plan), "*0 1 | *2 3");
}

TEST(Blocks, AnEngineIsComparedAlthoughItDoesNotReadWhatTheBaselineReads) {
  // numpy has one mode: its one trial stands beside the baseline of each.
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "mode": ["eager", "graph"]},
    "compare": {"over": "engine", "baseline": {"engine": "native"}})");
  EXPECT_EQ(plan.trials.size(), 3U);
  EXPECT_EQ(blocks_of(plan), "*0 2 | *1 2");
}

TEST(Blocks, ComparisonsThatShareABaselineAreOne) {
  // The baseline does not read mode, so both comparisons are beside the same trial.
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "mode": ["eager", "graph"]},
    "compare": {"over": "engine", "baseline": {"engine": "numpy"}})");
  EXPECT_EQ(blocks_of(plan), "*2 0 1");
  const Plan named =
      plan_with(R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "mode": ["eager", "graph"]},
    "compare": {"over": ["engine", "mode"], "baseline": {"engine": "numpy"}})");
  EXPECT_EQ(blocks_of(named), "*2 0 1");  // two points match, but they are one trial
}

TEST(Blocks, ASkippedBaselineLeavesItsArmsWithoutContrast) {
  const Plan plan = plan_with(
      R"("axes": {"engine": ["native", "numpy"], "model": ["mlp-10", "conv1d-small", "noop"], "mode": ["eager", "graph"]},
    "compare": {"over": ["engine", "mode"], "baseline": {"engine": "numpy"}})");
  // native: 0 1 (mlp-10), 2 3 (conv1d-small), 4 5 (noop); numpy: 6, 7 (skipped), 8 (skipped)
  EXPECT_EQ(blocks_of(plan), "*6 0 1 | 2 3 | 4 5");
  EXPECT_EQ(lines_of(plan),
            (std::vector<std::string>{
                "2 3: no baseline here: the engine numpy has no layer conv1d (layer 0 of conv1d-small)",
                "4 5: no baseline here: the engine numpy has no noop (it has dense networks and matmul)"}));
}

TEST(Blocks, ReasonsSharedByManyArmsAreOneLine) {
  const Plan plan =
      plan_with(R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "input": "pipeline", "batch": [1, 2, 4]},
    "compare": {"over": "engine", "baseline": {"engine": "numpy"}})");
  EXPECT_EQ(blocks_of(plan), "0 | 1 | 2");
  EXPECT_EQ(lines_of(plan),
            std::vector<std::string>{
                "0 1 2: no baseline here: the engine numpy has no input pipeline (it has array, loader)"});
}

TEST(Blocks, AnExcludedBaselineLeavesItsArmsWithoutContrast) {
  const Plan plan = plan_with(R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10", "batch": [1, 2]},
    "exclude": [{"mode": "eager", "batch": 1}],
    "compare": {"over": "mode", "baseline": {"mode": "eager"}})");
  EXPECT_EQ(blocks_of(plan), "*0 2 | 1");  // eager 2, graph 1, graph 2; the comparison of batch 2 begins first
  EXPECT_EQ(lines_of(plan), std::vector<std::string>{"1: no baseline here: it is excluded"});
}

TEST(Blocks, AnArmThatHasAContrastElsewhereNeedsNoBlockWithoutOne) {
  // numpy stands in both comparisons; that of mode eager has lost its baseline.
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "mode": ["eager", "graph"]},
    "exclude": [{"engine": "native", "mode": "eager"}],
    "compare": {"over": "engine", "baseline": {"engine": "native"}})");
  EXPECT_EQ(blocks_of(plan), "*0 1");
  EXPECT_TRUE(plan.no_contrasts.empty());
}

TEST(Blocks, ABaselineAloneIsMeasuredWithoutContrast) {
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "numpy"], "model": "mlp-10", "input": "pipeline"},
    "compare": {"over": "engine", "baseline": {"engine": "native"}})");
  EXPECT_EQ(blocks_of(plan), "0");
  EXPECT_EQ(
      lines_of(plan),
      std::vector<std::string>{
          "0: nothing to compare with the baseline here: every other arm is skipped, excluded or merged with it"});
}

TEST(Blocks, EveryRunnableTrialStandsInABlockAndNoContrastTwice) {
  const Plan plan =
      plan_with(R"("axes": {"engine": ["native", "numpy", "torch"], "model": ["mlp-10", "conv1d-small", "matmul-1000"],
    "mode": ["eager", "graph", "xla"], "batch": [1, 2], "work": ["train", "infer"]},
    "exclude": [{"model": "mlp-10", "batch": 2, "engine": "native"}],
    "compare": {"over": ["engine", "batch"], "baseline": {"engine": "native", "batch": 1}})");
  std::set<TrialIndex> placed;
  std::set<std::pair<TrialIndex, TrialIndex>> contrasts;
  for (const Block& block : plan.blocks) {
    EXPECT_LE(block.distinct_arms(), max_distinct_arms);
    const std::set<TrialIndex> arms(block.arms.begin(), block.arms.end());
    EXPECT_EQ(arms.size(), block.distinct_arms());
    placed.insert(arms.begin(), arms.end());
    for (std::size_t i = 1; block.has_baseline && i < block.distinct_arms(); ++i) {
      EXPECT_TRUE(contrasts.emplace(block.arms[0], block.arms[i]).second) << block.arms[i].value;
    }
  }
  for (const Trial& trial : plan.trials)
    EXPECT_EQ(placed.contains(trial.index), !trial.skip_reason.has_value()) << trial.canonical();
}

TEST(Blocks, DemandIsTheUnionOverTheArms) {
  const Plan plan = plan_with(
      R"("axes": {"model": "mlp-10", "threads": [1, 4, 2]}, "compare": {"over": "threads", "baseline": {"threads": 1}})");
  ASSERT_EQ(plan.blocks.size() - clones_of(plan), 1U);
  EXPECT_EQ(plan.blocks[0].demand, (Demand{1, 4, DeviceKind::cpu}));
  const Plan command =
      plan_with(R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": {"argv": ["true"]}})");
  EXPECT_EQ(command.blocks.at(0).demand, Demand{});
}

TEST(Blocks, DemandAKindOfDeviceOfEachName) {
  for (std::size_t i = 0; i < device_names.size(); ++i) {
    Demand demand;
    Parameters parameters;
    parameters[Param::device] = std::string(device_names.at(i));
    add_demand(demand, parameters);
    EXPECT_EQ(demand, (Demand{1, 1, static_cast<DeviceKind>(i)})) << device_names.at(i);
  }
}

/// "native eager 1 | numpy null 1": engine, mode and batch of the trials that stand beside themselves.
std::string clones_in(const Plan& plan) {
  std::string text;
  for (const Block& block : plan.blocks) {
    if (!block.has_clone) continue;
    EXPECT_EQ(block.arms, (std::vector{block.arms.front(), block.arms.front()}));
    EXPECT_TRUE(block.has_baseline);
    const Parameters& of = plan.trials[block.arms.front().value].parameters;
    text += (text.empty() ? "" : " | ") + to_text(of[Param::engine]) + " " + to_text(of[Param::mode]) + " " +
            to_text(of[Param::batch]);
  }
  return text;
}

TEST(Blocks, CloneTheFirstCellOfEachEngineAndModeThatIsCompared) {
  const Plan modes = plan_with(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [4, 1, 2]},
    "compare": {"over": "mode", "baseline": {"mode": "graph"}})");
  EXPECT_EQ(clones_in(modes), "native graph 4 | native eager 4");
  const Plan engines = plan_with(R"("axes": {"model": "mlp-10", "engine": ["native", "numpy", "torch"],
    "batch": [1, 2, 4]}, "compare": {"over": "engine", "baseline": {"engine": "torch"}})");
  EXPECT_EQ(clones_of(engines), 3U);
}

TEST(Blocks, CloneAfterAllOthers) {
  const Plan plan = plan_with(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [1, 2, 4]},
    "compare": {"over": "mode", "baseline": {"mode": "eager"}})");
  ASSERT_EQ(plan.blocks.size(), 5U);
  for (std::uint32_t i = 0; i < 5; ++i) {
    EXPECT_EQ(plan.blocks[i].index, BlockIndex{i});
    EXPECT_EQ(plan.blocks[i].has_clone, i >= 3);
    EXPECT_EQ(plan.blocks[i].families.size(), i >= 3 ? 0U : 1U) << "a clone is no contrast";
  }
  EXPECT_EQ(plan.contrasts, 3U);
  EXPECT_EQ(plan.blocks[4].exclusions, 0U);
}

TEST(Blocks, CloneNothingWithoutAComparisonOrWhereNothingIsMeasuredAgain) {
  EXPECT_EQ(clones_of(plan_with(R"("axes": {"model": "mlp-10", "batch": [1, 2, 4]})")), 0U);
  EXPECT_EQ(clones_of(plan_with(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"]},
    "compare": {"over": "mode", "baseline": {"mode": "eager"}}, "measure": {"again": false})")),
            0U);
}

TEST(Blocks, ACloneIsNoBlockOfItsTrialAlone) {
  const Plan plan = plan_with(
      R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10"}, "compare": {"over": "mode", "baseline": {"mode": "graph"}})");
  const Plan alone = plan_with(R"("axes": {"mode": "graph", "model": "mlp-10"})");
  ASSERT_TRUE(plan.blocks.at(1).has_clone);
  EXPECT_EQ(plan.trials[plan.blocks[1].arms[0].value].hash, alone.trials[0].hash);
  EXPECT_NE(plan.blocks[1].hash, alone.blocks.at(0).hash);
}

TEST(Blocks, HoldTheirArmsAndWhyOthersHaveNoContrast) {
  const Plan plan = plan_with(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"], "batch": [1, 2]},
    "exclude": [{"mode": "graph", "batch": 2}], "compare": {"over": "mode", "baseline": {"mode": "graph"}})");
  ASSERT_EQ(plan.blocks.size() - clones_of(plan), 2U);
  EXPECT_EQ(plan.blocks[0].arms.size(), 2U);
  EXPECT_EQ(plan.blocks[0].arms[0], TrialIndex{2});
  EXPECT_TRUE(plan.blocks[0].has_baseline);
  EXPECT_EQ(plan.blocks[1].arms.size(), 1U);
  EXPECT_EQ(plan.blocks[1].arms[0], TrialIndex{1});
  EXPECT_FALSE(plan.blocks[1].has_baseline);
  ASSERT_EQ(plan.no_contrasts.size(), 1U);
  EXPECT_EQ(plan.no_contrasts[0].trials, std::vector<TrialIndex>{TrialIndex{1}});
  EXPECT_EQ(plan.no_contrasts[0].reason, "no baseline here: it is excluded");
}

TEST(Blocks, HashIsThatOfTheArmsInOrder) {
  const Plan plan = plan_with(
      R"("axes": {"mode": ["eager", "graph"], "model": "mlp-10"}, "compare": {"over": "mode", "baseline": {"mode": "graph"}})");
  EXPECT_EQ(plan.blocks.at(0).hash, hash128(to_string(plan.trials[1].hash) + to_string(plan.trials[0].hash)));
}

}  // namespace
}  // namespace regatta::sweep
