#include <gtest/gtest.h>

#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// The one trial of this engine and model.
Trial trial_with(const std::string& engine, const std::string& model, const std::string& more = "") {
  Plan plan = plan_with("\"axes\": {\"engine\": \"" + engine + "\", \"model\": " + model + more + "}");
  EXPECT_EQ(plan.trials.size(), 1U);
  return plan.trials.at(0);
}

std::string reason_for(const std::string& engine, const std::string& model, const std::string& more = "") {
  return trial_with(engine, '"' + model + '"', more).skip_reason.value_or("runs");
}

std::string network(const std::string& layers, const std::string& loss) {
  return R"({"name": "odd", "input": [4], "layers": [)" + layers + R"(], "loss": ")" + loss +
         R"(", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
}

TEST(ModelSupport, EnginesRunWhatTheyAreBuiltFor) {
  for (const char* model : {"mlp-10", "mlp-784", "digits-mlp", "conv1d-small", "conv1d-medium", "conv1d-question",
                            "bilstm-question", "cnn-28", "matmul-1000", "scalar-gradient", "noop"}) {
    EXPECT_EQ(reason_for("native", model), "runs") << model;
  }
  for (const char* model : {"mlp-10", "mlp-784", "digits-mlp", "matmul-1000"})
    EXPECT_EQ(reason_for("numpy", model), "runs") << model;
  EXPECT_EQ(reason_for("native", "mlp-10", R"(, "threads": 8, "work": "infer", "mode": "eager")"), "runs");
  EXPECT_EQ(reason_for("numpy", "mlp-10", R"(, "threads": 8, "work": "infer", "host_dtype": "float64")"), "runs");
}

TEST(ModelSupport, LayersThatAnEngineLacksAreNamed) {
  const std::string recurrent = R"({"name": "odd", "input": [4, 2], "layers": [{"lstm": 3, "activation": "softmax"},
    {"dense": 1}], "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
  EXPECT_EQ(trial_with("native", recurrent).skip_reason,
            "the engine native has no softmax inside a recurrent layer (layer 0 of odd)");
  EXPECT_EQ(trial_with("torch", recurrent).skip_reason, std::nullopt);
  EXPECT_EQ(reason_for("numpy", "cnn-28"), "the engine numpy has no layer conv2d (layer 0 of cnn-28)");
  EXPECT_EQ(reason_for("numpy", "conv1d-small"), "the engine numpy has no layer conv1d (layer 0 of conv1d-small)");
  EXPECT_EQ(reason_for("numpy", "scalar-gradient"),
            "the engine numpy has no scalar-gradient (it has dense networks and matmul)");
  EXPECT_EQ(reason_for("numpy", "noop"), "the engine numpy has no noop (it has dense networks and matmul)");
}

TEST(ModelSupport, LossesNeedTheLastLayerThatBelongsToThem) {
  const std::string softmax = R"({"dense": 3, "activation": "softmax"})";
  const std::string plain = R"({"dense": 3})";
  const std::string lonely =
      "the engine native has softmax only in the last layer, with sparse_categorical_crossentropy (layer 0 of odd)";
  EXPECT_EQ(trial_with("native", network(softmax, "mse")).skip_reason, lonely);
  EXPECT_EQ(trial_with("native", network(softmax + "," + softmax, "sparse_categorical_crossentropy")).skip_reason,
            lonely);
  EXPECT_EQ(trial_with("native", network(plain, "sparse_categorical_crossentropy")).skip_reason,
            "the engine native computes sparse_categorical_crossentropy only from a last dense layer with activation "
            "softmax, which odd lacks");
  EXPECT_EQ(trial_with("numpy", network(plain, "binary_crossentropy")).skip_reason,
            "the engine numpy computes binary_crossentropy only from a last dense layer with activation sigmoid, which "
            "odd lacks");
  EXPECT_EQ(trial_with("native", network(plain + ", " + softmax, "sparse_categorical_crossentropy")).skip_reason,
            std::nullopt);
}

TEST(ModelSupport, ImpossibleShapesAreSkippedWithTheModelsReason) {
  const model::Model large = model::find_model("conv1d-large", 140).value();
  const std::string why = input_error([&] { model::infer_shapes(std::get<model::Network>(large)); });
  EXPECT_NE(why, "no error");
  EXPECT_EQ(reason_for("native", "conv1d-large", R"(, "length": 140)"), why);
  EXPECT_EQ(reason_for("native", "conv1d-large", R"(, "length": 1400)"), "runs");
}

TEST(ModelSupport, DatasetsThatComeAlongFitTheirShapeOnly) {
  EXPECT_EQ(reason_for("native", "digits-mlp", R"(, "dataset": "digits")"), "runs");
  EXPECT_EQ(reason_for("native", "mlp-10", R"(, "dataset": "digits")"),
            "the dataset digits needs 64 inputs (flat or 8 x 8), at least 10 outputs and "
            "sparse_categorical_crossentropy, which mlp-10 lacks");
  EXPECT_EQ(reason_for("native", "digits-mlp", R"(, "dataset": "japanese-vowels")"),
            "the dataset japanese-vowels needs 348 inputs (flat or 29 x 12), at least 9 outputs and "
            "sparse_categorical_crossentropy, which digits-mlp lacks");
}

}  // namespace
}  // namespace regatta::sweep
