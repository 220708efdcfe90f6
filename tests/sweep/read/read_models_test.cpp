// Models that are levels of their own: written out, or in a file that the sweep names.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>

#include "support/temporary_folder.hpp"
#include "sweep/read/read.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ReadModels, ModelsWrittenOutJoinTheSweep) {
  const Sweep sweep =
      sweep_with(R"("axes": {"model": ["mlp-10", {"name": "odd", "input": [13], "layers": [{"dense": 3}],
    "loss": "mse", "optimizer": {"adam": {"learning_rate": 0.003}}}]})");
  EXPECT_EQ(sweep.axes[0].levels[1], Value(std::string("odd")));
  const auto& network = std::get<model::Network>(sweep.models.at("odd"));
  EXPECT_EQ(network.input, model::Shape{13});
  EXPECT_DOUBLE_EQ(std::get<model::Adam>(network.optimizer).learning_rate, 0.003);
}

TEST(ReadModels, ModelsWrittenOut) {
  EXPECT_EQ(
      error_with(
          "\"axes\": {\"model\": [\"mlp-10\", {\"name\": \"odd\", \"input\": [13],\n\"layers\": [{\"dense\": 29,\n"
          "\"activation\": \"rellu\"}], \"loss\": \"mse\", \"optimizer\": {\"sgd\": {\"learning_rate\": 0.1}}}]}"),
      "s.json:4: /axes/model/1/layers/0/activation: found \"rellu\", expected \"none\", \"relu\", \"sigmoid\", "
      "\"tanh\" or "
      "\"softmax\"; did you mean \"relu\"?");
  EXPECT_EQ(error_with("\"axes\": {\"model\": {\n\"name\": \"mlp-10\", \"matmul\": 10}}"),
            "s.json:3: /axes/model/name: found \"mlp-10\", expected a name of its own (a named model has this one)");
  EXPECT_EQ(error_with("\"axes\": {\"model\": {\"name\": \"a/b\", \"matmul\": 10}}"),
            "s.json:2: /axes/model/name: found \"a/b\", expected " + a_name);
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": [{\"name\": \"a\", \"matmul\": 10},\n{\"name\": \"a\", \"matmul\": 11}]}"),
      "s.json:3: /axes/model/1/name: found \"a\" a second time, expected each model once");
}

TEST(ReadModels, ErrorsDeepInsideAModelNameTheirLine) {
  const auto error = [](const std::string& layer) {
    return error_with("\"axes\": {\"model\": {\"name\": \"odd\", \"input\": [5, 2], \"layers\": [\n" + layer +
                      "], \"loss\": \"mse\", \"optimizer\": {\"sgd\": {\"learning_rate\": 0.1}}}}");
  };
  EXPECT_EQ(error("{\"bidirectional\":\n{\"lstm\": 3,\n\"return_sequences\": 1}}"),
            "s.json:5: /axes/model/layers/0/bidirectional/return_sequences: found 1, expected true or false");
  EXPECT_EQ(error("{\"dense\":\n18446744073709551615}"),
            "s.json:4: /axes/model/layers/0/dense: found 18446744073709551615, expected a whole number from 1 to "
            "2147483647");
  EXPECT_EQ(error("{\"conv1d\": 3,\n\"k\u00e9rnel\": 3}"),
            "s.json:4: /axes/model/layers/0/k\u00e9rnel: found the unknown key \"k\u00e9rnel\", expected \"conv1d\", "
            "\"kernel\", "
            "\"stride\", \"padding\" or \"activation\"; did you mean \"kernel\"?");
  EXPECT_EQ(error("{\"conv1d\": 3,\n\"stride\": 1}"),
            "s.json:3: /axes/model/layers/0/kernel: found nothing, expected a whole number from 1 to 2147483647");
  EXPECT_EQ(error("{\"dense\": 3,\n\"dense\": 4}"),
            "s.json:4: /axes/model/layers/0/dense: found the key \"dense\" a second time (first on line 3), expected "
            "each key once");
  EXPECT_EQ(error("\n"), "s.json:2: /axes/model/layers: found an empty list, expected a list of 1 to 10000 layers");
}

TEST(ReadModels, ImpossibleShapes) {
  const auto error = [](const std::string& layers) {
    return error_with("\"axes\": {\"model\": {\"name\": \"odd\", \"input\": [5, 2], \"layers\": [\n" + layers +
                      "], \"loss\": \"mse\", \"optimizer\": {\"sgd\": {\"learning_rate\": 0.1}}}}");
  };
  EXPECT_EQ(error("{\"conv1d\": 4, \"kernel\": 3},\n{\"conv1d\": 4, \"kernel\": 4},\n{\"flatten\": true}"),
            "s.json:4: /axes/model/layers/1: found a layer that does not fit, expected one that fits (odd at length 5: "
            "kernel 4 is longer than its input of 3 in layer 1 (conv1d); give a longer input or a shorter kernel)");
  EXPECT_EQ(
      error("{\"dense\": 3}"),
      "s.json:2: /axes/model/layers: found layers whose output has 2 axes, expected one axis (end with a flatten or "
      "a pooling)");
}

class ModelFiles : public ::testing::Test {
 protected:
  void SetUp() override {
    std::filesystem::create_directory(folder_ / "models");
    write("models/odd.json", odd);
  }

  void write(const std::string& file, const std::string& text) const { std::ofstream(folder_ / file) << text; }
  [[nodiscard]] Sweep read(const std::string& keys, OutsideEnvironments outside = {}) const {
    return parse_sweep(file_with(keys), folder_ / "s.json", std::move(outside));
  }
  [[nodiscard]] std::string error(const std::string& level) const {
    return input_error([&] { (void)read("\"axes\": {\"model\": " + level + "}"); });
  }
  [[nodiscard]] std::string at(const std::string& file, const std::string& place) const {
    return (folder_ / file).string() + place;
  }

  const std::string odd = R"({"name": "odd", "input": [13],
    "layers": [{"dense": 3}],
    "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.1}}})";
  support::TemporaryFolder folder_;
};

TEST_F(ModelFiles, HoldTheSameModelAsOneWrittenOut) {
  const Plan named = make_plan(read(R"("axes": {"model": ["noop", "models/odd.json"]})"));
  const Plan written = make_plan(read("\"axes\": {\"model\": [\"noop\", " + odd + "]}"));
  ASSERT_EQ(named.trials.size(), 2U);
  EXPECT_EQ(named.trials[1].hash, written.trials[1].hash);
}

TEST_F(ModelFiles, AreWrittenIntoTheTextOfTheSweep) {
  const Sweep first = read(R"("include": [{"model": "models/odd.json", "batch": 7}],
    "axes": {"model": ["noop", "models/odd.json",
    "mlp-10"]})");
  std::filesystem::remove_all(folder_ / "models");
  const Sweep again = parse_sweep(first.text, folder_ / "s.json", any_environment());
  EXPECT_EQ(first.text.find("odd.json"), std::string::npos);
  EXPECT_EQ(again.text, first.text);
  EXPECT_EQ(std::count(first.text.begin(), first.text.end(), '\n'), 4) << "no line moves";
  const Plan before = make_plan(first);
  const Plan after = make_plan(again);
  ASSERT_EQ(before.trials.size(), 4U);
  for (std::size_t i = 0; i < 4; ++i) EXPECT_EQ(before.trials[i].hash, after.trials[i].hash);
}

TEST_F(ModelFiles, Errors) {
  EXPECT_EQ(
      error("\n\"models/gone.json\""),
      at("s.json", ":3: /axes/model: found \"models/gone.json\", expected a file that can be read (cannot open '") +
          at("models/gone.json", "': No such file or directory)"));
  EXPECT_EQ(error("\"models/\""),
            at("s.json", ":2: /axes/model: found \"models/\", expected a file that can be read ('") +
                at("models/", "' is none)"));
  write("models/bad.json", "{\"name\": \"bad\", \"input\": [13],\n\"layers\": [{\"dnse\": 3}]}");
  EXPECT_EQ(error("\"models/bad.json\"").find(at("models/bad.json", ":2: /layers/0/dnse: found no kind of layer")), 0U)
      << error("\"models/bad.json\"");
  write("models/bad.json", "[]");
  EXPECT_EQ(error("\"models/bad.json\""),
            at("models/bad.json", ":1: found an empty list, expected a model written out"));
  write("models/bad.json", "{\n");
  EXPECT_EQ(error("\"models/bad.json\"").find(at("models/bad.json", ":2: found the end of the file")), 0U);
  write("models/bad.json", R"({"python": "m.py:build", "batch": "m.py:make_batch"})");
  EXPECT_EQ(error("\"models/bad.json\""),
            at("models/bad.json",
               ":1: found an object, expected a model of layers (one in Python is written out in the "
               "sweep itself, beside which its files are)"));
  write("models/bad.json", R"({"name": "noop", "matmul": 3})");
  EXPECT_EQ(
      error("\"models/bad.json\""),
      at("models/bad.json", ":1: /name: found \"noop\", expected a name of its own (a named model has this one)"));
  EXPECT_EQ(error("[\"models/odd.json\",\n\"models/odd.json\"]"),
            at("s.json", ":3: /axes/model/1: found \"odd\" a second time, expected each level once"));
}

}  // namespace
}  // namespace regatta::sweep
