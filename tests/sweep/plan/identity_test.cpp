// Identity of trials: the same on every machine and in every layout of the file; from 0.1.0 on, for ever.
// A golden hash is recomputed by
//   python3 -c 'import hashlib, sys; print(hashlib.sha256(sys.argv[1].encode()).hexdigest()[:32])' CANONICAL
#include <gtest/gtest.h>

#include <algorithm>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

std::vector<std::string> sorted_hashes(const Plan& plan) {
  std::vector<std::string> hashes;
  for (const Trial& trial : plan.trials) hashes.push_back(to_string(trial.hash));
  std::sort(hashes.begin(), hashes.end());
  return hashes;
}

TEST(Identity, GoldenHashesNeverChange) {
  const Plan plan =
      plan_with(R"("axes": {"model": ["conv1d-small", "mlp-10", "matmul-1000", "scalar-gradient", "noop"]})");
  const std::vector<std::string> golden = {"591d10d4afb66702f473beedfb10fe30", "dee8b6c5a77334a77986141d26f66e37",
                                           "7c59a532aaa04446fae1b9398324433e", "be332ae55d78ada25bf184951b458c41",
                                           "995dd0baf5c020f0e1d54c46040c3ccd"};
  std::vector<std::string> found;
  for (const Trial& trial : plan.trials) found.push_back(to_string(trial.hash));
  EXPECT_EQ(found, golden);
}

TEST(Identity, GoldenHashOfAModelWrittenOut) {
  const Plan plan =
      plan_with(R"("axes": {"model": {"name": "odd", "input": [13], "layers": [{"dense": 29, "activation": "tanh"},
    {"dropout": 0.5}, {"dense": 3, "activation": "softmax"}], "loss": "sparse_categorical_crossentropy",
    "optimizer": {"adam": {"learning_rate": 0.003}}}})");
  EXPECT_EQ(
      plan.trials.at(0).canonical(),
      R"({"batch":32,"dataset":"synthetic","device":"cpu","engine":"native","host_dtype":"float32","input":"array",)"
      R"("mode":"graph","model":"odd","precision":"fp32","ranks":1,"repeat":0,"seed":0,"shards":1,"tail":"drop",)"
      R"("threads":1,"timing":"steady","work":"train",)"
      R"("model_spec":{"name":"odd","input":[13],"layers":[{"dense":29,"activation":"tanh"},{"dropout":0.5},)"
      R"({"dense":3,"activation":"softmax"}],"loss":"sparse_categorical_crossentropy",)"
      R"("optimizer":{"adam":{"learning_rate":0.003,"beta1":0.9,"beta2":0.999,"epsilon":1e-07}}}})");
  EXPECT_EQ(to_string(plan.trials[0].hash), "72c35f4a145939ebeb631430e9e6cfde");
}

TEST(Identity, ATrainingReadsRanks) {
  const auto plan_of = [](const std::string& engine, const std::string& ranks) {
    return plan_with(R"("task": "train", "train": {"epochs": 1},
      "axes": {"model": "digits-mlp", "dataset": "digits", "engine": ")" +
                     engine + R"(", "ranks": )" + ranks + "}");
  };
  const Plan plan = plan_of("native", "[1, 2]");
  ASSERT_EQ(plan.trials.size(), 2U);
  for (const Trial& trial : plan.trials) {
    EXPECT_EQ(trial.skip_reason, std::nullopt);
    EXPECT_EQ(trial.parameters[Param::shards], Value(std::int64_t{8}));
  }
  EXPECT_EQ(plan.trials[1].parameters[Param::ranks], Value(std::int64_t{2}));
  EXPECT_EQ(plan.blocks.back().demand.ranks, 2);
  EXPECT_NE(plan_of("torch", "[1, 2]").trials.at(1).skip_reason, std::nullopt);
}

TEST(Identity, ATrainingReadsItsInput) {
  const auto trial_with = [](const std::string& engine, const std::string& more) {
    const Plan plan = plan_with(R"("task": "train", "train": {"epochs": 1},
      "axes": {"model": "digits-mlp", "dataset": "digits", "engine": ")" +
                                engine + '"' + more + "}");
    return plan.trials.at(0);
  };
  EXPECT_NE(trial_with("native", R"(, "input": "pipeline")").canonical().find(R"("input":"pipeline")"),
            std::string::npos);
  EXPECT_EQ(trial_with("native", R"(, "input": "headspace")").skip_reason,
            "the engine native has no input headspace in training (it has array, pipeline)");
}

TEST(Identity, DataOfTheUsersOwnStandInItAsTheyAreWritten) {
  const auto canonical = [](const std::string& more) {
    return make_plan(parse_sweep(file_with(R"("axes": {"model": "mlp-10", "dataset": "cells"},
      "datasets": {"cells": {"data": "cells.csv", "label_column": "kind")" +
                                           more + "}}"),
                                 "/data/s.json", any_environment()))
        .trials.at(0)
        .canonical();
  };
  EXPECT_NE(canonical("").find(R"("dataset":"cells")"), std::string::npos);
  EXPECT_NE(canonical("").find(R"("dataset_spec":{"data":"cells.csv","label_column":"kind"})"), std::string::npos);
  EXPECT_NE(canonical(R"(, "scale": 0.5, "shift": -1)").find(R"("kind","scale":0.5,"shift":-1.0})"), std::string::npos);
}

TEST(Identity, ParametersStandWhereTheyAreRead) {
  const auto canonical = [](const std::string& more) {
    return plan_with(R"("axes": {"engine": "tensorflow", "model": "mlp-10", "mode": "graph")" + more + "}")
        .trials.at(0)
        .canonical();
  };
  const std::string before = R"({"api":"keras","batch":32,"dataset":"synthetic","device":"cpu","engine":"tensorflow",)"
                             R"("host_dtype":"float32","input":")";
  EXPECT_EQ(canonical(""), before +
                               R"(array","loop":"custom","mode":"graph","model":"mlp-10","precision":"fp32","ranks":1,)"
                               R"("repeat":0,"seed":0,"tail":"drop","threads":1,"timing":"steady","work":"train"})");
  EXPECT_EQ(
      canonical(R"(, "input": "pipeline", "loop": "fit")"),
      before + R"(pipeline","loop":"fit","map_threads":"1","mode":"graph","model":"mlp-10",)"
               R"("precision":"fp32","prefetch":"auto","ranks":1,"repeat":0,"seed":0,"steps_per_call":1,"tail":"drop",)"
               R"("threads":1,"timing":"steady","work":"train"})");
}

TEST(Identity, ARewriteStandsWhereTheModelCanBeRewritten) {
  const auto canonical = [](const std::string& model, const std::string& rewrite) {
    const std::string axes = R"("axes": {"model": ")" + model + R"(", "rewrite": ")" + rewrite + "\"}";
    return plan_with(axes).trials.at(0).canonical();
  };
  EXPECT_NE(canonical("conv1d-medium", "algebraic").find(R"("rewrite":"algebraic")"), std::string::npos);
  EXPECT_NE(canonical("conv1d-medium", "none").find(R"("rewrite":"none")"), std::string::npos);
  EXPECT_EQ(canonical("mlp-10", "algebraic").find("rewrite"), std::string::npos);
}

TEST(Identity, AnAlgorithmStandsWhereItSavesWork) {
  const auto canonical = [](const std::string& model, const std::string& algorithm) {
    const std::string axes = R"("axes": {"model": ")" + model + R"(", "algorithm": ")" + algorithm + "\"}";
    return plan_with(axes).trials.at(0).canonical();
  };
  EXPECT_EQ(canonical("conv1d-medium", "fft").find(R"({"algorithm":"fft")"), 0U);
  EXPECT_NE(canonical("conv1d-medium", "direct").find(R"("algorithm":"direct")"), std::string::npos);
  EXPECT_EQ(canonical("mlp-10", "fft").find("algorithm"), std::string::npos);
}

TEST(Identity, OperandsStandWhereThereIsAProduct) {
  const auto canonical = [](const std::string& model, const std::string& operands) {
    const std::string axes =
        R"("axes": {"engine": "torch", "model": ")" + model + R"(", "operands": ")" + operands + "\"}";
    return plan_with(axes).trials.at(0).canonical();
  };
  EXPECT_NE(canonical("matmul-1000", "fed").find(R"("operands":"fed")"), std::string::npos);
  EXPECT_NE(canonical("matmul-1000", "resident").find(R"("operands":"resident")"), std::string::npos);
  EXPECT_EQ(canonical("mlp-10", "fed").find("operands"), std::string::npos);
}

TEST(Identity, GoldenHashOfACommand) {
  const Plan plan = plan_with(
      R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": {"argv": ["./run.sh", "x"], "metric": "json:seconds"}})");
  EXPECT_EQ(plan.trials.at(0).canonical(), R"({"command":"a","engine":"command","ranks":1,"repeat":0,"threads":1,)"
                                           R"("command_spec":{"argv":["./run.sh","x"],"metric":"seconds"}})");
  EXPECT_EQ(to_string(plan.trials[0].hash), "86d94f40c9888306fc48364a9ec0f98b");
}

TEST(Identity, ResultsThatACommandHasToTellArePartOfIt) {
  const Plan plan = plan_with(
      R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": {"argv": ["x"], "results": ["r", "e"]}})");
  const std::string canonical = plan.trials.at(0).canonical();
  EXPECT_NE(canonical.find(R"("command_spec":{"argv":["x"],"metric":"","results":["r","e"]}})"), std::string::npos);
}

TEST(Identity, TheKindOfFolderThatACommandRunsInIsPartOfIt) {
  const Plan plan = plan_with(
      R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": {"argv": ["x"], "folder": "kept"}})");
  const std::string canonical = plan.trials.at(0).canonical();
  EXPECT_NE(canonical.find(R"("command_spec":{"argv":["x"],"metric":"","folder":"kept"}})"), std::string::npos);
}

TEST(Identity, TheWayInWhichRanksStartIsPartOfIt) {
  const Plan plan = plan_with(
      R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": {"argv": ["x"], "launch": "mpirun"}})");
  const std::string canonical = plan.trials.at(0).canonical();
  EXPECT_NE(canonical.find(R"("command_spec":{"argv":["x"],"metric":"","launch":"mpirun"}})"), std::string::npos);
}

TEST(Identity, DoesNotDependOnAxisOrderLayoutOrWhatIsBeside) {
  const Plan one =
      plan_with(R"("axes": {"model": ["mlp-10", "conv1d-small"], "batch": [1, 2], "mode": ["eager", "graph"]})");
  const Plan other = plan_with(R"("measure": {"margin": "5%", "total": "3m"}, "limits": {"attempts": 1}, "axes":{
    "mode":["graph","eager"],"seed":0,"batch":[2,1],
    "model":["conv1d-small","mlp-10"]})");
  EXPECT_EQ(sorted_hashes(one), sorted_hashes(other));
  EXPECT_NE(to_string(one.trials[0].hash), to_string(other.trials[0].hash));
}

TEST(Identity, DoesNotDependOnWhereTheFileLies) {
  const std::string keys = R"("axes": {"engine": ["command", "native@e"], "command": "a", "model": "mlp-10"},
    "commands": {"a": {"argv": ["./run.sh"]}}, "environments": {"e": {"engine": "native", "program": ["bin/worker"]}})";
  const Plan here = make_plan(parse_sweep(file_with(keys), "/data/me/s.json"));
  const Plan there = make_plan(parse_sweep(file_with(keys), "/scratch/you/t.json"));
  EXPECT_EQ(sorted_hashes(here), sorted_hashes(there));
}

TEST(Identity, DependsOnTheModelsContentNotItsLayout) {
  const auto hash = [](const std::string& model) {
    return to_string(plan_with("\"axes\": {\"model\": " + model + "}").trials.at(0).hash);
  };
  const std::string plain =
      R"({"name": "m", "input": [4], "layers": [{"dense": 1}], "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
  const std::string moved = R"({"optimizer": {"sgd": {"momentum": 0.0, "learning_rate": 1e-1}}, "loss": "mse",
    "layers": [{"dense": 1, "activation": "none"}], "input": [4], "name": "m"})";
  const std::string changed =
      R"({"name": "m", "input": [4], "layers": [{"dense": 2}], "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
  EXPECT_EQ(hash(plain), hash(moved));
  EXPECT_NE(hash(plain), hash(changed));
}

TEST(Identity, DependsOnACommandsArgumentsAndMetric) {
  const auto hash = [](const std::string& command) {
    return to_string(plan_with(R"("axes": {"engine": "command", "command": "a"}, "commands": {"a": )" + command + "}")
                         .trials.at(0)
                         .hash);
  };
  const std::string plain = hash(R"({"argv": ["x", "1"]})");
  EXPECT_EQ(plain, hash(R"({"argv": ["x", "1"]})"));
  EXPECT_NE(plain, hash(R"({"argv": ["x", "2"]})"));
  EXPECT_NE(plain, hash(R"({"argv": ["x", "1"], "metric": "json:t"})"));
  EXPECT_NE(plain, hash(R"({"argv": ["x", "1"], "results": ["t"]})"));
}

}  // namespace
}  // namespace regatta::sweep
