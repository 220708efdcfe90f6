// Axes, exclusions and comparisons of a sweep file: what is read, and the exact text of every error.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

const std::string all_params =
    R"("api", "batch", "command", "dataset", "device", "engine", "host_dtype", "input", "length", "loader_workers", )"
    R"("loop", "map_threads", "mode", "model", "precision", "prefetch", "ranks", "repeat", "seed", "steps_per_call", )"
    R"("tail", "threads", "timing" or "work")";

TEST(ReadAxes, ModelsWrittenOutJoinTheSweep) {
  const Sweep sweep =
      sweep_with(R"("axes": {"model": ["mlp-10", {"name": "odd", "input": [13], "layers": [{"dense": 3}],
    "loss": "mse", "optimizer": {"adam": {"learning_rate": 0.003}}}]})");
  EXPECT_EQ(sweep.axes[0].levels[1], Value(std::string("odd")));
  const auto& network = std::get<model::Network>(sweep.models.at("odd"));
  EXPECT_EQ(network.input, model::Shape{13});
  EXPECT_DOUBLE_EQ(std::get<model::Adam>(network.optimizer).learning_rate, 0.003);
}

TEST(ReadAxes, Axes) {
  EXPECT_EQ(error_with("\"axes\": []"), "s.json:2: /axes: found an empty list, expected an object of axes");
  EXPECT_EQ(error_with("\"axes\": {}"), "s.json:2: /axes: found an empty object, expected at least one axis");
  EXPECT_EQ(error_with("\"axes\": {\n\"batch\": []}"),
            "s.json:3: /axes/batch: found an empty list, expected at least one level");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [32,\n64,\n32]}"),
            "s.json:4: /axes/batch/2: found 32 a second time, expected each level once");
  EXPECT_EQ(error_with("\"axes\": {\"mdoe\": \"eager\"}"),
            "s.json:2: /axes/mdoe: found the unknown parameter \"mdoe\", expected " + all_params +
                "; did you mean \"mode\"?");
  EXPECT_EQ(error_with("\"axes\": {\"repeat\": 3}"),
            "s.json:2: /axes/repeat: found the parameter \"repeat\", expected the key \"repeats\" of the sweep, which "
            "makes it");
  EXPECT_EQ(error_with("\"axes\": {\"mode\": [\"eager\",\n\"grpah\"]}"),
            "s.json:3: /axes/mode/1: found \"grpah\", expected \"eager\", \"graph\", \"xla\" or \"v1-session\"; did "
            "you mean \"graph\"?");
}

TEST(ReadAxes, LevelsOfTheWrongTypeOrOutOfRange) {
  const std::string batch = ", expected an integer from 1 to 16777216";
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 0}"), "s.json:2: /axes/batch: found 0" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 16777217}"), "s.json:2: /axes/batch: found 16777217" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 99999999999999999999}"), "s.json:2: /axes/batch: found 1e+20" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": -9223372036854775808}"),
            "s.json:2: /axes/batch: found -9223372036854775808" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 32.0}"), "s.json:2: /axes/batch: found 32.0" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": \"32\"}"), "s.json:2: /axes/batch: found \"32\"" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [true]}"), "s.json:2: /axes/batch/0: found true" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": null}"), "s.json:2: /axes/batch: found null" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [[1]]}"), "s.json:2: /axes/batch/0: found a list" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"mode\": 3}"),
            "s.json:2: /axes/mode: found 3, expected \"eager\", \"graph\", \"xla\" or \"v1-session\"");
  EXPECT_EQ(error_with("\"axes\": {\"mode\": {\"a\": 1}}"),
            "s.json:2: /axes/mode: found an object, expected \"eager\", \"graph\", \"xla\" or \"v1-session\"");
}

TEST(ReadAxes, ANumberStandsForTheLevelThatIsWrittenLikeIt) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "prefetch": [0, "1", "auto"]})");
  EXPECT_EQ(sweep.axes[1].levels, (std::vector<Value>{std::string("0"), std::string("1"), std::string("auto")}));
  EXPECT_EQ(error_with("\"axes\": {\"prefetch\": [0, \"0\"]}"),
            "s.json:2: /axes/prefetch/1: found \"0\" a second time, expected each level once");
  EXPECT_EQ(error_with("\"axes\": {\"prefetch\": 2}"),
            "s.json:2: /axes/prefetch: found 2, expected \"0\", \"1\" or \"auto\"");
}

TEST(ReadAxes, EnginesAndModels) {
  const std::string models =
      R"("conv1d-small", "conv1d-medium", "conv1d-large", "conv1d-question", "bilstm-question", "mlp-784", "mlp-10", "cnn-28", )"
      R"("digits-mlp", "matmul-1000", "scalar-gradient" or "noop")";
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"conv1d-smal\"}"),
            "s.json:2: /axes/model: found \"conv1d-smal\", expected a model written out, or " + models +
                "; did you mean \"conv1d-small\"?");
  EXPECT_EQ(error_with("\"axes\": {\"model\": 3}"),
            "s.json:2: /axes/model: found 3, expected a model written out, or " + models);
  EXPECT_EQ(
      error_with("\"axes\": {\"engine\": \"nativ\"}"),
      "s.json:2: /axes/engine: found \"nativ\", expected \"native\", \"torch\", \"tensorflow\", \"jax\", \"numpy\" or "
      "\"command\"; did you mean \"native\"?");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"native@fake\"}"),
            "s.json:2: /axes/engine: found \"native@fake\", expected an environment of the engine native " +
                environment_places + " (there is none)");
  const std::string environment = ", \"environments\": {\"fake\": {\"engine\": \"native\", \"program\": [\"x\"]}}";
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"native@fke\"}" + environment),
            "s.json:2: /axes/engine: found \"native@fke\", expected an environment of the engine native " +
                environment_places + " (known: \"fake\"); did you mean \"native@fake\"?");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"numpy@fake\"}" + environment),
            "s.json:2: /axes/engine: found \"numpy@fake\", expected an environment of the engine numpy (fake is one of "
            "native)");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"native@\"}"),
            "s.json:2: /axes/engine: found \"native@\", expected an environment of the engine native " +
                environment_places + " (there is none)");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 3}"),
            "s.json:2: /axes: found no axis \"model\", expected one (the engine native needs it)");
  EXPECT_EQ(error_with("\"axes\": {\"engine\": \"command\"}"),
            "s.json:2: /axes: found no axis \"command\", expected one (the engine command needs it)");
}

TEST(ReadAxes, ModelsWrittenOut) {
  EXPECT_EQ(
      error_with(
          "\"axes\": {\"model\": [\"mlp-10\", {\"name\": \"odd\", \"input\": [13],\n\"layers\": [{\"dense\": 29,\n"
          "\"activation\": \"rellu\"}], \"loss\": \"mse\", \"optimizer\": {\"sgd\": {\"learning_rate\": 0.1}}}]}"),
      "s.json:4: /axes/model/1/layers/0/activation: found \"rellu\", expected one of \"none\", \"relu\", \"sigmoid\", "
      "\"tanh\", "
      "\"softmax\"; did you mean \"relu\"?");
  EXPECT_EQ(error_with("\"axes\": {\"model\": {\n\"name\": \"mlp-10\", \"matmul\": 10}}"),
            "s.json:3: /axes/model/name: found \"mlp-10\", expected a name of its own (a named model has this one)");
  EXPECT_EQ(error_with("\"axes\": {\"model\": {\"name\": \"a/b\", \"matmul\": 10}}"),
            "s.json:2: /axes/model/name: found \"a/b\", expected " + a_name);
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": [{\"name\": \"a\", \"matmul\": 10},\n{\"name\": \"a\", \"matmul\": 11}]}"),
      "s.json:3: /axes/model/1/name: found \"a\" a second time, expected each model once");
}

TEST(ReadAxes, Exclusions) {
  EXPECT_EQ(error_with(two_engines + "\"exclude\": {}"),
            "s.json:3: /exclude: found an empty object, expected a list of objects such as {\"engine\": \"numpy\", "
            "\"batch\": 32}");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{}]"),
            "s.json:3: /exclude/0: found an empty object, expected at least one parameter");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"engine\": \"torch\"}]"),
            "s.json:3: /exclude/0/engine: found \"torch\", expected a level of the axis engine");
  EXPECT_EQ(
      error_with(two_engines + "\"exclude\": [\n{\"loop\": \"fit\"}]"),
      "s.json:4: /exclude/0/loop: found the parameter \"loop\", which is no axis of this sweep, expected an axis");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"bacth\": 3}]"),
            "s.json:3: /exclude/0/bacth: found the unknown parameter \"bacth\", expected " + all_params +
                "; did you mean \"batch\"?");
  EXPECT_EQ(error_with(two_engines + "\"exclude\": [{\"engine\": \"native\"}, {\"engine\": \"numpy\"}]"),
            "s.json:3: /exclude: found exclusions that leave no point, expected at least one point to stay");
}

TEST(ReadAxes, Comparisons) {
  const auto error = [](const std::string& inside) {
    return error_with(two_engines + "\"compare\": {" + inside + "}");
  };
  EXPECT_EQ(error("\"over\": [\"engine\"]"),
            "s.json:3: /compare/baseline: found nothing, expected the arm that others are compared with, such as "
            "{\"engine\": \"native\"}");
  EXPECT_EQ(error("\"over\": [], \"baseline\": {}"),
            "s.json:3: /compare/over: found an empty list, expected at least one parameter");
  EXPECT_EQ(error("\"over\": [\"egine\"], \"baseline\": {}"),
            "s.json:3: /compare/over/0: found \"egine\", expected " + all_params + "; did you mean \"engine\"?");
  EXPECT_EQ(error("\"over\": [\"mode\",\n\"loop\"], \"baseline\": {\"loop\": \"fit\"}"),
            "s.json:4: /compare/over/1: found \"loop\", which is no axis of this sweep, expected \"model\", \"engine\" "
            "or \"mode\"");
  EXPECT_EQ(error("\"over\": [\"mode\", \"mode\"], \"baseline\": {}"),
            "s.json:3: /compare/over/1: found \"mode\" a second time, expected each parameter once");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {}"),
            "s.json:3: /compare/baseline: found an empty object, expected at least one parameter");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {\"engine\": \"native\"}"),
            "s.json:3: /compare/baseline/engine: found the parameter \"engine\", expected only what \"over\" names "
            "(\"mode\")");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {\"mode\": \"eager\"}, \"pairs\": \"all\""),
            "s.json:3: /compare/pairs: found \"all\", expected \"baseline\" (\"all\" is not built yet; use baseline)");
  EXPECT_EQ(error("\"over\": \"mode\", \"baseline\": {\"mode\": \"eager\"}, \"pairs\": \"one-factor\""),
            "s.json:3: /compare/pairs: found \"one-factor\", expected \"baseline\" (\"one-factor\" is not built yet; "
            "use baseline)");
}

TEST(ReadAxes, BaselinesThatMatchNoArmOrSeveral) {
  const auto error = [](const std::string& inside) {
    return error_with(two_engines + "\"compare\": {" + inside + "}");
  };
  const std::string rule = ", expected it to match exactly one arm of each comparison";
  EXPECT_EQ(error("\"over\": \"engine\",\n\"baseline\": {\"engine\": \"torch\"}"),
            "s.json:4: /compare/baseline: found {\"engine\":\"torch\"}, which matches no arm (\"torch\" is no level of "
            "the axis engine)" +
                rule);
  EXPECT_EQ(error("\"over\": [\"engine\", \"mode\"], \"baseline\": {\"engine\": \"native\"}"),
            "s.json:3: /compare/baseline: found {\"engine\":\"native\"}, which matches more than one arm (engine "
            "native, mode eager and "
            "engine native, mode graph)" +
                rule);
  EXPECT_EQ(error_with(two_engines + "\"compare\": {\"over\": \"engine\", \"baseline\": {\"engine\": \"native\"}}, "
                                     "\"exclude\": [{\"engine\": \"native\"}]"),
            "s.json:3: /compare/baseline: found {\"engine\":\"native\"}, which matches no arm (exclude removes it "
            "everywhere)" +
                rule);
}

}  // namespace
}  // namespace regatta::sweep
