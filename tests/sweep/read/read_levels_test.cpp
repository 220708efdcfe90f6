// Levels of an axis: what is read, and the exact text of every error.
#include <gtest/gtest.h>

#include <set>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

std::vector<std::int64_t> levels_of(const std::string& levels) {
  std::vector<std::int64_t> found;
  const Sweep sweep = sweep_with("\"axes\": {\"batch\": " + levels + "}");
  for (const Value& level : sweep.axes[0].levels) found.push_back(std::get<std::int64_t>(level));
  return found;
}

TEST(ReadLevels, LevelsOfTheWrongTypeOrOutOfRange) {
  const std::string batch = ", expected an integer from 1 to 16777216";
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 0}"), "s.json:2: /axes/batch: found 0" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 16777217}"), "s.json:2: /axes/batch: found 16777217" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 99999999999999999999}"),
            "s.json:2: /axes/batch: found 99999999999999999999" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": -9223372036854775808}"),
            "s.json:2: /axes/batch: found -9223372036854775808" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": 32.0}"), "s.json:2: /axes/batch: found 32.0" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": \"32\"}"),
            "s.json:2: /axes/batch: found \"32\"" + batch + " (32 without quotes)");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [true]}"), "s.json:2: /axes/batch/0: found true" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": null}"), "s.json:2: /axes/batch: found null" + batch);
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [[1]]}"), "s.json:2: /axes/batch/0: found a list" + batch);
  EXPECT_EQ(
      error_with("\"axes\": {\"mode\": 3}"),
      "s.json:2: /axes/mode: found 3, expected \"eager\", \"graph\", \"xla\", \"v1-session\" or \"reduce-overhead\"");
  EXPECT_EQ(error_with("\"axes\": {\"mode\": {\"a\": 1}}"),
            "s.json:2: /axes/mode: found an object, expected \"eager\", \"graph\", \"xla\", \"v1-session\" or "
            "\"reduce-overhead\"");
}

TEST(ReadLevels, SizesStandForBytes) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "mlp-784", "bucket_bytes": [0, "4KiB", "25MB", 7]})");
  EXPECT_EQ(sweep.axes[1].levels,
            (std::vector<Value>{std::int64_t{0}, std::int64_t{4096}, std::int64_t{25000000}, std::int64_t{7}}));
  const std::string expected = ", expected an integer from 0 to 1099511627776, or a size such as \"25MiB\"";
  for (const char* wrong : {"\"25\"", "\"2TB\"", "\"25 MiB\"", "\"99999999TiB\""}) {
    const std::string error = error_with(std::string("\"axes\": {\"bucket_bytes\": ") + wrong + "}");
    EXPECT_EQ(error.substr(0, error.find(" (")),
              std::string("s.json:2: /axes/bucket_bytes: found ") + wrong + expected);
  }
}

TEST(ReadLevels, ANumberStandsForTheLevelThatIsWrittenLikeIt) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "prefetch": [0, "1", "auto"]})");
  EXPECT_EQ(sweep.axes[1].levels, (std::vector<Value>{std::string("0"), std::string("1"), std::string("auto")}));
  EXPECT_EQ(error_with("\"axes\": {\"prefetch\": [0, \"0\"]}"),
            "s.json:2: /axes/prefetch/1: found \"0\" a second time, expected each level once");
  EXPECT_EQ(error_with("\"axes\": {\"prefetch\": 2}"),
            "s.json:2: /axes/prefetch: found 2, expected \"0\", \"1\" or \"auto\"");
}

TEST(ReadLevels, EnginesAndModels) {
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

TEST(ReadLevels, RangesStandForTheirLevels) {
  EXPECT_EQ(levels_of(R"({"linear": [1, 4]})"), (std::vector<std::int64_t>{1, 2, 3, 4}));
  EXPECT_EQ(levels_of(R"({"linear": [10, 40], "step": 10})"), (std::vector<std::int64_t>{10, 20, 30, 40}));
  EXPECT_EQ(levels_of(R"({"linear": [10, 40], "count": 3})"), (std::vector<std::int64_t>{10, 25, 40}));
  EXPECT_EQ(levels_of(R"({"geometric": [1, 8]})"), (std::vector<std::int64_t>{1, 2, 4, 8}));
  EXPECT_EQ(levels_of(R"({"geometric": [1, 100], "factor": 10})"), (std::vector<std::int64_t>{1, 10, 100}));
  EXPECT_EQ(levels_of(R"({"geometric": [1, 16], "count": 3})"), (std::vector<std::int64_t>{1, 4, 16}));
  EXPECT_EQ(levels_of(R"([1, {"linear": [3, 4]}, 2, {"geometric": [8, 16]}])"),
            (std::vector<std::int64_t>{1, 3, 4, 2, 8, 16}));
}

TEST(ReadLevels, RangesGiveTheSameTrialsAsTheirLevels) {
  const Plan range = plan_with(R"("axes": {"model": "mlp-10", "batch": {"geometric": [1, 4]}})");
  const Plan levels = plan_with(R"("axes": {"model": "mlp-10", "batch": [1, 2, 4]})");
  ASSERT_EQ(range.trials.size(), 3U);
  for (std::size_t i = 0; i < 3; ++i) EXPECT_EQ(range.trials[i].hash, levels.trials[i].hash);
}

TEST(ReadLevels, Ranges) {
  const auto error = [](const std::string& levels) { return error_with("\"axes\": {\"batch\":\n" + levels + "}"); };
  const std::string ends = "expected two integers, the first level and the last, such as [1, 64]";
  EXPECT_EQ(error("{\"linaer\": [1, 2]}"),
            "s.json:3: /axes/batch/linaer: found the unknown key \"linaer\", expected \"linear\", \"geometric\", "
            "\"uniform\", \"log_uniform\" or \"choice\"; did you mean \"linear\"?");
  EXPECT_EQ(error("{}"),
            "s.json:3: /axes/batch: found an empty object, expected a range such as {\"linear\": [1, 8]} or "
            "{\"geometric\": [1, 64], \"factor\": 2}");
  EXPECT_EQ(error("{\"linear\": 3}"), "s.json:3: /axes/batch/linear: found 3, " + ends);
  EXPECT_EQ(error("{\"linear\": [1, 2, 3]}"), "s.json:3: /axes/batch/linear: found a list, " + ends);
  EXPECT_EQ(error("{\"linear\": [0, 2]}"),
            "s.json:3: /axes/batch/linear/0: found 0, expected an integer from 1 to 16777216");
  EXPECT_EQ(error("{\"linear\": [64, 1]}"),
            "s.json:3: /axes/batch/linear/1: found 1, expected an integer from 64 to 16777216");
  EXPECT_EQ(error("{\"linear\": [1, 9], \"step\": 0}"),
            "s.json:3: /axes/batch/step: found 0, expected an integer from 1 to 16777216");
  EXPECT_EQ(error("{\"linear\": [1, 9], \"step\": 2, \"count\": 3}"),
            "s.json:3: /axes/batch/count: found 3, expected only one of \"step\" and \"count\"");
  EXPECT_EQ(
      error("{\"linear\": [1, 9], \"factor\": 2}"),
      "s.json:3: /axes/batch/factor: found the unknown key \"factor\", expected \"linear\", \"step\" or \"count\"");
  EXPECT_EQ(error("{\"linear\": [1, 9], \"count\": 1}"),
            "s.json:3: /axes/batch/count: found 1, expected an integer from 2 to 1000000");
  EXPECT_EQ(
      error("{\"linear\": [1, 16777216]}"),
      "s.json:3: /axes/batch: found a range of 16777216 levels, expected at most 1000000 (a larger \"step\", or a "
      "\"count\")");
  EXPECT_EQ(error("{\"geometric\": [1, 9], \"factor\": 1}"),
            "s.json:3: /axes/batch/factor: found 1, expected a number from 1.01 to 1000000");
  EXPECT_EQ(error("{\"geometric\": [1, 9], \"factor\": \"2\"}"),
            "s.json:3: /axes/batch/factor: found \"2\", expected a number from 1.01 to 1000000 (2 without quotes)");
  EXPECT_EQ(error("{\"geometric\": [1, 9], \"count\": 3, \"factor\": 2}"),
            "s.json:3: /axes/batch/count: found 3, expected only one of \"factor\" and \"count\"");
  EXPECT_EQ(error("[{\"linear\": [1, 4]}, 3]"),
            "s.json:3: /axes/batch/1: found 3 a second time, expected each level once");
  EXPECT_EQ(error_with("\"axes\": {\"loader_workers\": {\"geometric\": [0, 4]}}"),
            "s.json:2: /axes/loader_workers/geometric/0: found 0, expected an integer from 1 to 256");
}

TEST(ReadLevels, ACountThatRoundingMakesSmallerIsAnError) {
  EXPECT_EQ(error_with(R"("axes": {"batch": {"linear": [1, 3], "count": 5}})"),
            "s.json:2: /axes/batch/count: found 5, expected fewer: rounded to integers this range has 3 different "
            "levels of 5");
  EXPECT_EQ(error_with(R"("axes": {"batch": {"geometric": [1, 4], "count": 9}})"),
            "s.json:2: /axes/batch/count: found 9, expected fewer: rounded to integers this range has 4 different "
            "levels of 9");
}

std::vector<double> rates_of(const std::string& levels) {
  std::vector<double> found;
  const Sweep sweep = sweep_with(R"("task": "train", "train": {"epochs": 1}, "samples": 40,
    "axes": {"batch": {"uniform": [1, 9]}, "learning_rate": )" +
                                 levels + "}");
  for (const Value& level : sweep.axes[1].levels) found.push_back(std::get<double>(level));
  return found;
}

std::string error_of_rates(const std::string& levels) {
  return error_with(R"("task": "train", "train": {"epochs": 1}, "axes": {"learning_rate": )" + levels + "}");
}

TEST(ReadLevels, RealRangesHaveStepsAsTheyAreWritten) {
  EXPECT_EQ(rates_of(R"({"linear": [0.1, 0.5], "step": 0.1})"), (std::vector<double>{0.1, 0.2, 0.3, 0.4, 0.5}));
  EXPECT_EQ(rates_of(R"({"linear": [0, 1], "step": 0.3})"), (std::vector<double>{0, 0.3, 0.6, 0.9}));
  EXPECT_EQ(rates_of(R"([{"linear": [1, 2], "step": 0.5}, 7])"), (std::vector<double>{1, 1.5, 2, 7}));
}

TEST(ReadLevels, RealRangesThatRoundingWouldRepeatAreErrors) {
  EXPECT_EQ(error_of_rates(R"({"linear": [0.1, 0.10001], "step": 1e-8})"),
            "s.json:2: /axes/learning_rate/step: found 1e-8, expected a larger one: rounded to six digits the level "
            "0.1 stands there twice");
  EXPECT_EQ(error_of_rates(R"({"linear": [0.1, 0.100001], "count": 9})"),
            "s.json:2: /axes/learning_rate/count: found 9, expected fewer: rounded to six digits the level 0.1 stands "
            "there twice");
  EXPECT_EQ(error_of_rates(R"({"linear": [0, 1000], "step": 1e-9})"),
            "s.json:2: /axes/learning_rate/step: found a step of 1e+12 levels, expected a step of at most "
            "1000000 levels");
  EXPECT_EQ(error_of_rates(R"({"geometric": [1, 9], "step": 2})"),
            "s.json:2: /axes/learning_rate/step: found 2, expected \"count\" (steps are those of a \"linear\" range)");
  EXPECT_EQ(error_of_rates(R"({"linear": [1, 9], "step": 2, "count": 5})"),
            "s.json:2: /axes/learning_rate/count: found 5, expected only one of \"step\" and \"count\"");
  EXPECT_EQ(
      error_of_rates(R"({"linear": [1, 9]})"),
      "s.json:2: /axes/learning_rate/count: found nothing, expected how many levels the range has, or the \"step\" "
      "between them");
}

TEST(ReadLevels, DrawsMayHaveSteps) {
  const Sweep sweep = sweep_with(R"("samples": 200, "axes": {"model": "mlp-10",
    "batch": {"uniform": [16, 128], "step": 16}})");
  std::set<Value> batches(sweep.axes[1].levels.begin(), sweep.axes[1].levels.end());
  EXPECT_EQ(batches.size(), 8U);
  for (const Value& batch : batches) EXPECT_EQ(std::get<std::int64_t>(batch) % 16, 0);
  const std::vector<double> rates = rates_of(R"({"uniform": [0.1, 0.3], "step": 0.1})");
  EXPECT_EQ(std::set<double>(rates.begin(), rates.end()), (std::set<double>{0.1, 0.2, 0.3}));
  EXPECT_EQ(error_with(R"("task": "train", "train": {"epochs": 1}, "samples": 3,
    "axes": {"learning_rate": {"uniform": [0.1, 0.3], "step": 0}})"),
            "s.json:3: /axes/learning_rate/step: found 0, expected a number from 1e-30 to 1e+30");
}

TEST(ReadLevels, AStepLeavesTheDrawsOfAnAxisWithoutOne) {
  const auto batches = [](const std::string& step) {
    return sweep_with(R"("samples": 20, "axes": {"model": "mlp-10", "batch": {"uniform": [1, 999])" + step + "}}")
        .axes[1]
        .levels;
  };
  EXPECT_EQ(batches(""), batches(R"(, "step": 1)"));
}

TEST(ReadLevels, RandomAxes) {
  const auto error = [](const std::string& levels) {
    return error_with("\"samples\": 2, \"axes\": {\"batch\":\n" + levels + ", \"model\": \"mlp-10\"}");
  };
  EXPECT_EQ(error("{\"uniform\": [8, 1]}"),
            "s.json:3: /axes/batch/uniform/1: found 1, expected an integer from 8 to 16777216");
  EXPECT_EQ(error("{\"log_uniform\": [1, 8], \"step\": 2}"),
            "s.json:3: /axes/batch/step: found the unknown key \"step\", expected \"log_uniform\"");
  EXPECT_EQ(error("{\"choice\": []}"),
            "s.json:3: /axes/batch/choice: found an empty list, expected a list of levels to choose from");
  EXPECT_EQ(error("{\"choice\": [1, 1]}"),
            "s.json:3: /axes/batch/choice/1: found 1 a second time, expected each level once");
  EXPECT_EQ(
      error("{\"choice\": [1, {\"choice\": [2]}]}"),
      "s.json:3: /axes/batch/choice/1: found a random axis, expected levels or a range (what is random is the whole "
      "of an axis)");
  EXPECT_EQ(
      error("[{\"uniform\": [1, 2]}]"),
      "s.json:3: /axes/batch/0: found a random axis, expected levels or a range (what is random is the whole of an "
      "axis)");
  EXPECT_EQ(error_with("\"samples\": 2, \"axes\": {\"mode\": {\"uniform\": [1, 2]}}"),
            "s.json:2: /axes/mode: found an object, expected \"eager\", \"graph\", \"xla\", \"v1-session\" or "
            "\"reduce-overhead\"");
}

}  // namespace
}  // namespace regatta::sweep
