#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/sweep/task_of.hpp"
#include "sweep/plan/plan.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

using testing::HasSubstr;

const std::string models = R"({"name": "a", "input": [4], "layers": [{"dense": 8}, {"dense": 2}], "loss": "mse",
   "optimizer": {"adam": {"learning_rate": 0.01}}}, "mlp-10")";

TEST(OwnAxesOfAPlan, ReachTheProgram) {
  const Sweep sweep =
      sweep_with(R"("axes": {"engine": "command", "command": "w", "n": [64], "tol": [0.5], "fast": true},
    "commands": {"w": {"argv": ["w", "{n}", "--tol={tol}", "{{n}}", "-j{threads}"], "reads": ["fast"]}})");
  const Plan plan = make_plan(sweep);
  const BlockTask task = task_of(sweep, plan, plan.blocks.at(0), {});
  EXPECT_THAT(task.arms[0].command->argv, testing::ElementsAre("w", "64", "--tol=0.5", "{n}", "-j1"));
  EXPECT_THAT(task.arms[0].command->variables,
              testing::ElementsAre(std::pair("REGATTA_FAST", "true"), std::pair("REGATTA_N", "64"),
                                   std::pair("REGATTA_PARAMETERS", R"({"fast":true,"n":64,"tol":0.5})"),
                                   std::pair("REGATTA_TOL", "0.5")));
  EXPECT_THAT(plan.trials[0].canonical(), HasSubstr(R"(,"own":{"fast":true,"n":64,"tol":0.5},"command_spec":{"argv":)"
                                                    R"(["w","{n}","--tol={tol}","{{n}}","-j{threads}"])"));
}

TEST(OwnAxesOfAPlan, LevelsOfAnyKindReachTheProgramAsText) {
  const Sweep sweep = sweep_with(R"("axes": {"engine": "command", "command": "w", "x": [["a", 1], "auto", null]},
    "commands": {"w": {"argv": ["w", "{x}", "--x={x}"]}})");
  const Plan plan = make_plan(sweep);
  const char* const texts[] = {R"(["a",1])", "auto", "null"};
  const char* const jsons[] = {R"({"x":["a",1]})", R"({"x":"auto"})", R"({"x":null})"};
  for (std::size_t i = 0; i < plan.trials.size(); ++i) {
    const BlockTask task = task_of(sweep, plan, plan.blocks.at(i), {});
    const Command& command = *task.arms[0].command;
    EXPECT_THAT(command.argv, testing::ElementsAre("w", texts[i], std::string("--x=") + texts[i]));
    EXPECT_EQ(command.variables.at("REGATTA_X"), texts[i]);
    EXPECT_EQ(command.variables.at("REGATTA_PARAMETERS"), jsons[i]);
    EXPECT_EQ(command.trial, plan.trials[i].hash);
  }
}

TEST(OwnAxesOfAPlan, AnAxisThatIsAbsentPassesNothing) {
  const Sweep sweep = sweep_with(R"("axes": {"engine": "command", "command": "w", "alg": ["sgd", "adam"]},
    "when": [{"if": {"alg": "sgd"}, "axes": {"m": [0.9]}}],
    "commands": {"w": {"argv": ["w", "{alg}", "--m={m}", "{m}", "m is {m}", "-c", "run {m}"]}})");
  const Plan plan = make_plan(sweep);
  const auto argv = [&](std::size_t block) {
    return task_of(sweep, plan, plan.blocks.at(block), {}).arms[0].command->argv;
  };
  EXPECT_THAT(argv(0), testing::ElementsAre("w", "sgd", "--m=0.9", "0.9", "m is 0.9", "-c", "run 0.9"));
  EXPECT_THAT(argv(1), testing::ElementsAre("w", "adam", "m is ", "-c", "run "));
}

TEST(OwnAxesOfAPlan, ParametersOfOtherEnginesReachAProgramBesideThem) {
  const Sweep sweep = sweep_with(R"("axes": {"engine": ["native", "command"], "model": "mlp-10", "command": "w",
    "batch": 8, "n": 3}, "commands": {"w": {"argv": ["w", "{n}"], "reads": ["batch"]}})");
  const Plan plan = make_plan(sweep);
  const BlockTask task = task_of(sweep, plan, plan.blocks.at(1), {});
  EXPECT_EQ(task.arms[0].command->variables.at("REGATTA_BATCH"), "8");
  EXPECT_EQ(task.arms[0].command->variables.at("REGATTA_PARAMETERS"), R"({"batch":8,"n":3})");
}

TEST(OwnAxesOfAPlan, ADeviceThatTheSweepNamesIsTheProgramsToo) {
  const Plan plan = plan_with(R"("axes": {"engine": "command", "command": "w", "device": ["cpu", "cuda"]},
    "commands": {"w": {"argv": ["w", "{device}"]}})");
  ASSERT_EQ(plan.trials.size(), 2U);
  EXPECT_EQ(plan.blocks[0].demand.device, DeviceKind::cpu);
  EXPECT_EQ(plan.blocks[1].demand.device, DeviceKind::cuda);
  EXPECT_EQ(plan_with(R"("axes": {"engine": "command", "command": "w"}, "commands": {"w": {"argv": ["w"]}})")
                .trials[0]
                .parameters[Param::device],
            Value());
}

TEST(OwnAxesOfAPlan, ACommandThatDoesNotReadAnAxisHasOneTrial) {
  const Plan plan = plan_with(R"("axes": {"engine": "command", "command": ["v", "w"], "n": [1, 2, 3]},
    "commands": {"v": {"argv": ["v"]}, "w": {"argv": ["w", "{n}"]}})");
  EXPECT_EQ(plan.trials.size(), 4U);
  EXPECT_EQ(plan.merged, 2);
}

TEST(OwnAxesOfAPlan, ReachTheModelsThatHaveThePlace) {
  const Sweep sweep = sweep_with(R"("axes": {"model": [)" + models + R"(], "layers.1.dense": [2, 3]})");
  const Plan plan = make_plan(sweep);
  ASSERT_EQ(plan.trials.size(), 4U);
  for (const Block& block : plan.blocks) {
    const BlockTask task = task_of(sweep, plan, block, {});
    const auto& network = std::get<model::Network>(*task.arms[0].model);
    EXPECT_EQ(to_json(task.arms[0].parameters[Param::own("layers.1.dense", Param::OwnKind::integer)]),
              std::to_string(std::get<model::Dense>(network.layers[1]).units));
  }
}

TEST(OwnAxesOfAPlan, AModelWithoutThePlaceHasOneTrial) {
  const Plan plan = plan_with(R"("axes": {"model": [)" + models + R"(, "matmul-1000"], "layers.1.dense": [2, 3]})");
  EXPECT_EQ(plan.trials.size(), 5U);
}

TEST(OwnAxesOfAPlan, ValuesThatMakeNoModelAreSkippedWithTheReason) {
  const Plan plan = plan_with(R"("axes": {"model": [)" + models + R"(], "layers.1.dense": [0, 3]})");
  EXPECT_THAT(plan.trials[0].skip_reason.value_or(""),
              HasSubstr("the model cannot be built with these values: a:1: /layers/1/dense: found 0"));
  EXPECT_EQ(plan.trials[1].skip_reason, std::nullopt);
}

TEST(OwnAxesOfAPlan, NamesIdentifyATrialWhateverTheFilesOrder) {
  const auto hash = [](const std::string& axes) {
    return plan_with(R"("axes": {"engine": "command", "command": "w", )" + axes +
                     R"(}, "commands": {"w": {"argv": ["w", "{n}", "{m}"]}})")
        .trials[0]
        .hash;
  };
  EXPECT_EQ(hash(R"("n": 1, "m": 2)"), hash(R"("m": 2, "n": 1)"));
  EXPECT_NE(hash(R"("n": 1, "m": 2)"), hash(R"("m": 1, "n": 2)"));
  EXPECT_NE(hash(R"("n": 1, "m": 2)"), hash(R"("n": 1, "m": "2")"));
}

}  // namespace
}  // namespace regatta::sweep
