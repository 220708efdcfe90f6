#include "regatta/sweep/capabilities.hpp"

#include <gtest/gtest.h>

#include <algorithm>

#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(EngineTable, HasARowForEveryEngineAndOnlyKnownLevels) {
  const auto within = [](const std::vector<std::string_view>& levels, Param param) {
    const auto& known = info(param).levels;
    return std::all_of(levels.begin(), levels.end(),
                       [&](auto level) { return std::count(known.begin(), known.end(), level) == 1; });
  };
  std::vector<std::string_view> names;
  for (const EngineInfo& engine : engine_table()) {
    names.push_back(engine.name);
    EXPECT_EQ(find_engine(engine.name), &engine);
    EXPECT_TRUE(within(engine.modes, Param::mode) && within(engine.devices, Param::device) &&
                within(engine.loops, Param::loop) && within(engine.apis, Param::api) &&
                within(engine.inputs, Param::input) && within(engine.precisions, Param::precision))
        << engine.name;
  }
  EXPECT_EQ(names, info(Param::engine).levels);
  EXPECT_EQ(find_engine("caffe"), nullptr);
}

/// The one trial of this engine and model.
Trial trial_of(const std::string& engine, const std::string& model, const std::string& more = "") {
  Plan plan = plan_with("\"axes\": {\"engine\": \"" + engine + "\", \"model\": " + model + more + "}");
  EXPECT_EQ(plan.trials.size(), 1U);
  return plan.trials.at(0);
}

std::string reason(const std::string& engine, const std::string& model, const std::string& more = "") {
  return trial_of(engine, '"' + model + '"', more).skip_reason.value_or("runs");
}

std::string read_by(const std::string& engine, const std::string& model) {
  const Trial trial = trial_of(engine, '"' + model + '"');
  std::string names;
  for (const ParamInfo& row : parameter_table()) {
    if (!std::holds_alternative<std::monostate>(trial.parameters[row.param])) names += std::string(row.name) + " ";
  }
  return names;
}

TEST(Capabilities, WhatIsNotReadIsNull) {
  EXPECT_EQ(read_by("native", "conv1d-small"),
            "batch dataset device engine length mode model precision ranks repeat seed tail threads timing work ");
  EXPECT_EQ(read_by("native", "mlp-10"),
            "batch dataset device engine mode model precision ranks repeat seed tail threads timing work ");
  EXPECT_EQ(read_by("native", "matmul-1000"), "device engine mode model precision ranks repeat seed threads timing ");
  EXPECT_EQ(read_by("native", "scalar-gradient"), "device engine mode model precision ranks repeat threads timing ");
  EXPECT_EQ(read_by("native", "noop"), "device engine mode model ranks repeat threads timing ");
  EXPECT_EQ(read_by("numpy", "mlp-10"),
            "batch dataset device engine host_dtype input model precision ranks repeat seed tail threads timing work ");
  EXPECT_EQ(read_by("tensorflow", "mlp-10"),
            "api batch dataset device engine host_dtype input loop mode model precision ranks repeat seed tail threads "
            "timing work ");
}

TEST(Capabilities, CommandsReadTheirNameOnly) {
  const Plan plan = plan_with(
      R"("axes": {"engine": "command", "command": "a", "model": "mlp-10", "batch": [1, 2]}, "commands": {"a": {"argv": ["true"]}})");
  ASSERT_EQ(plan.trials.size(), 1U);
  EXPECT_EQ(plan.merged, 1);
  EXPECT_FALSE(plan.trials[0].skip_reason);
  for (const ParamInfo& row : parameter_table()) {
    const bool read = row.param == Param::command || row.param == Param::engine || row.param == Param::repeat;
    EXPECT_EQ(std::holds_alternative<std::monostate>(plan.trials[0].parameters[row.param]), !read) << row.name;
  }
}

TEST(Capabilities, EnginesRunWhatTheyAreBuiltFor) {
  for (const char* model : {"mlp-10", "mlp-784", "digits-mlp", "conv1d-small", "conv1d-medium", "conv1d-question",
                            "matmul-1000", "scalar-gradient", "noop"}) {
    EXPECT_EQ(reason("native", model), "runs") << model;
  }
  for (const char* model : {"mlp-10", "mlp-784", "digits-mlp", "matmul-1000"})
    EXPECT_EQ(reason("numpy", model), "runs") << model;
  EXPECT_EQ(reason("native", "mlp-10", R"(, "threads": 8, "work": "infer", "mode": "eager")"), "runs");
  EXPECT_EQ(reason("numpy", "mlp-10", R"(, "threads": 8, "work": "infer", "host_dtype": "float64")"), "runs");
}

TEST(Capabilities, LevelsThatAnEngineLacksAreSkipped) {
  EXPECT_EQ(reason("native", "mlp-10", R"(, "mode": "xla")"),
            "the engine native has no mode xla (it has eager, graph)");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "device": "cuda")"), "device cuda is not built yet for the engine native");
  EXPECT_EQ(reason("numpy", "mlp-10", R"(, "device": "cuda")"), "device cuda is not built yet for the engine numpy");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "precision": "bf16")"),
            "the engine native has no precision bf16 (it has fp32)");
  EXPECT_EQ(reason("numpy", "mlp-10", R"(, "input": "pipeline")"),
            "the engine numpy has no input pipeline (it has array)");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "ranks": 2)"), "data-parallel trials are not part of this version");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "timing": "cold")"), "timing cold is not part of this version");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "tail": "keep")"),
            "tail keep is not part of this version (the smaller last batch is dropped)");
  for (const std::string engine : {"torch", "tensorflow", "jax"}) {
    EXPECT_EQ(reason(engine, "mlp-10"), "the engine " + engine + " is not part of this version");
  }
}

TEST(Capabilities, LevelsOfWhatIsNotReadAreNoReasonToSkip) {
  EXPECT_EQ(
      reason("native", "mlp-10", R"(, "loop": "fit", "api": "raw", "input": "pipeline", "host_dtype": "float64")"),
      "runs");
  EXPECT_EQ(reason("numpy", "mlp-10", R"(, "mode": "xla")"), "runs");
  EXPECT_EQ(reason("native", "noop", R"(, "precision": "bf16", "tail": "keep", "dataset": "digits")"), "runs");
}

TEST(Capabilities, LayersThatAnEngineLacksAreNamed) {
  EXPECT_EQ(reason("native", "bilstm-question"),
            "the engine native has no layer bidirectional (layer 0 of bilstm-question)");
  EXPECT_EQ(reason("native", "cnn-28"), "the engine native has no layer conv2d (layer 0 of cnn-28)");
  EXPECT_EQ(reason("numpy", "conv1d-small"), "the engine numpy has no layer conv1d (layer 0 of conv1d-small)");
  EXPECT_EQ(reason("numpy", "scalar-gradient"),
            "the engine numpy has no scalar-gradient (it has dense networks and matmul)");
  EXPECT_EQ(reason("numpy", "noop"), "the engine numpy has no noop (it has dense networks and matmul)");
}

std::string network(const std::string& layers, const std::string& loss) {
  return R"({"name": "odd", "input": [4], "layers": [)" + layers + R"(], "loss": ")" + loss +
         R"(", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
}

TEST(Capabilities, LossesNeedTheLastLayerThatBelongsToThem) {
  const std::string softmax = R"({"dense": 3, "activation": "softmax"})";
  const std::string plain = R"({"dense": 3})";
  const std::string lonely =
      "the engine native has softmax only in the last layer, with sparse_categorical_crossentropy (layer 0 of odd)";
  EXPECT_EQ(trial_of("native", network(softmax, "mse")).skip_reason, lonely);
  EXPECT_EQ(trial_of("native", network(softmax + "," + softmax, "sparse_categorical_crossentropy")).skip_reason,
            lonely);
  EXPECT_EQ(trial_of("native", network(plain, "sparse_categorical_crossentropy")).skip_reason,
            "the engine native computes sparse_categorical_crossentropy only from a last dense layer with activation "
            "softmax, which odd lacks");
  EXPECT_EQ(trial_of("numpy", network(plain, "binary_crossentropy")).skip_reason,
            "the engine numpy computes binary_crossentropy only from a last dense layer with activation sigmoid, which "
            "odd lacks");
  EXPECT_EQ(trial_of("native", network(plain + ", " + softmax, "sparse_categorical_crossentropy")).skip_reason,
            std::nullopt);
}

TEST(Capabilities, ImpossibleShapesAreSkippedWithTheModelsReason) {
  const model::Model large = model::find_model("conv1d-large", 140).value();
  const std::string why = input_error([&] { model::infer_shapes(std::get<model::Network>(large)); });
  EXPECT_NE(why, "no error");
  EXPECT_EQ(reason("native", "conv1d-large", R"(, "length": 140)"), why);
  EXPECT_EQ(reason("native", "conv1d-large", R"(, "length": 1400)"), "runs");
}

TEST(Capabilities, DigitsFitOneShapeOnly) {
  EXPECT_EQ(reason("native", "digits-mlp", R"(, "dataset": "digits")"), "runs");
  EXPECT_EQ(reason("native", "mlp-10", R"(, "dataset": "digits")"),
            "the dataset digits needs 64 inputs, at least 10 outputs and sparse_categorical_crossentropy, which mlp-10 "
            "lacks");
}

}  // namespace
}  // namespace regatta::sweep
