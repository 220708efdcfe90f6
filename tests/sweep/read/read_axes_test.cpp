// The axes of a sweep file and which of them go together: what is read, and the exact text of every error.
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(ReadAxes, Axes) {
  EXPECT_EQ(error_with("\"axes\": []"), "s.json:2: /axes: found an empty list, expected an object of axes");
  EXPECT_EQ(error_with("\"axes\": {}"), "s.json:2: /axes: found an empty object, expected at least one axis");
  EXPECT_EQ(error_with("\"axes\": {\n\"batch\": []}"),
            "s.json:3: /axes/batch: found an empty list, expected at least one level");
  EXPECT_EQ(error_with("\"axes\": {\"batch\": [32,\n64,\n32]}"),
            "s.json:4: /axes/batch/2: found 32 a second time, expected each level once");
  EXPECT_EQ(error_with("\"axes\": {\"mdoe\": \"eager\"}"),
            "s.json:2: /axes/mdoe: found the unknown parameter \"mdoe\", expected " +
                three_params(R"("mode", "model" or "loop")") + "; did you mean \"mode\"?");
  EXPECT_EQ(error_with("\"axes\": {\"repeat\": 3}"),
            "s.json:2: /axes/repeat: found the parameter \"repeat\", expected the key \"repeats\" of the sweep, which "
            "makes it");
  EXPECT_EQ(error_with("\"axes\": {\"mode\": [\"eager\",\n\"grpah\"]}"),
            "s.json:3: /axes/mode/1: found \"grpah\", expected \"eager\", \"graph\", \"xla\", \"v1-session\" or "
            "\"reduce-overhead\"; did "
            "you mean \"graph\"?");
}

TEST(ReadAxes, AZipIsOneListOrSeveral) {
  const std::string axes =
      R"("axes": {"model": ["mlp-10", "noop"], "batch": [1, 1], "seed": [3, 3], "mode": ["eager", "graph"]},)";
  EXPECT_EQ(sweep_with(axes + R"("zip": ["model", "batch", "seed"])").zips,
            (std::vector<std::vector<Param>>{{Param::model, Param::batch, Param::seed}}));
  EXPECT_EQ(sweep_with(axes + R"("zip": [["model", "batch"], ["mode", "seed"]])").zips,
            (std::vector<std::vector<Param>>{{Param::model, Param::batch}, {Param::mode, Param::seed}}));
}

TEST(ReadAxes, Zips) {
  const auto error = [](const std::string& zip) {
    return error_with(
        "\"axes\": {\"model\": [\"mlp-10\", \"noop\"], \"batch\": [1, 2, 4], \"seed\": [1, 2], "
        "\"mode\": [\"eager\", \"graph\"]},\n\"zip\": " +
        zip);
  };
  const std::string rule = "expected a list of axes such as [\"model\", \"length\"], or a list of such lists";
  EXPECT_EQ(error("3"), "s.json:3: /zip: found 3, " + rule);
  EXPECT_EQ(error("[]"), "s.json:3: /zip: found an empty list, " + rule);
  EXPECT_EQ(error("[[\"model\", \"seed\"], 3]"), "s.json:3: /zip/1: found 3, " + rule);
  EXPECT_EQ(error("[\"model\"]"), "s.json:3: /zip: found a list, expected at least two axes");
  EXPECT_EQ(error("[\"model\", \"sed\"]"), "s.json:3: /zip/1: found \"sed\", expected " +
                                               three_params(R"("seed", "api" or "mode")") + "; did you mean \"seed\"?");
  EXPECT_EQ(error("[\"model\", \"loop\"]"),
            "s.json:3: /zip/1: found \"loop\", which is no axis of this sweep, expected \"model\", \"batch\", \"seed\" "
            "or \"mode\"");
  EXPECT_EQ(error("[[\"model\", \"seed\"], [\"mode\", \"model\"]]"),
            "s.json:3: /zip/1/1: found \"model\" a second time, expected each axis in one zip, once");
  EXPECT_EQ(error("[[\"model\", \"seed\"],\n[\"mode\", \"batch\"]]"),
            "s.json:4: /zip/1: found axes of 2 (mode) and 3 (batch) levels, expected as many levels in each (they go "
            "together one by one)");
  EXPECT_EQ(error_with("\"axes\": {\"model\": [\"noop\", \"noop\"], \"seed\": [1, 1]}, \"zip\": [\"model\", \"seed\"]"),
            "s.json:2: /zip: found model noop, seed 1 a second time, expected each row of the zip once");
}

TEST(ReadAxes, RandomAxesAreDrawnTogether) {
  const std::string axes = R"("axes": {"model": "mlp-10", "batch": {"log_uniform": [1, 1024]},
    "mode": {"choice": ["eager", "graph"]}, "threads": {"uniform": [1, 4096]}, "seed": [1, 2]}, "samples": 20)";
  const Sweep sweep = sweep_with(axes);
  for (const Axis& axis : sweep.axes)
    EXPECT_EQ(axis.is_drawn, axis.param != Param::model && axis.param != Param::seed) << name_of(axis.param);
  EXPECT_EQ(sweep.axes[1].levels.size(), 20U);
  EXPECT_EQ(make_plan(sweep).points, 40);
  EXPECT_EQ(sweep.axes[1].levels, sweep_with(axes).axes[1].levels);
  EXPECT_NE(sweep.axes[1].levels, sweep_with(axes + R"(, "sample_seed": 1)").axes[1].levels);
}

TEST(ReadAxes, ARowThatIsDrawnTwiceStandsOnce) {
  EXPECT_EQ(plan_with(R"("axes": {"model": "mlp-10", "mode": {"choice": ["eager", "graph"]}}, "samples": 1000)").points,
            2);
}

TEST(ReadAxes, Samples) {
  const std::string random = "\"axes\": {\"model\": \"mlp-10\",\n\"batch\": {\"uniform\": [1, 8]}}";
  EXPECT_EQ(error_with(random),
            "s.json:3: /axes/batch: found the random axis \"batch\", expected the key \"samples\" beside \"axes\", how "
            "many points to draw");
  EXPECT_EQ(error_with(random + ",\n\"samples\": 0"),
            "s.json:4: /samples: found 0, expected an integer from 1 to 1000000");
  EXPECT_EQ(error_with(random + ",\n\"sample_seed\": 1"),
            "s.json:4: /sample_seed: found 1, expected the key \"samples\" beside it, how many points to draw");
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"mlp-10\"}, \"samples\": 3"),
            "s.json:2: /samples: found 3, expected a random axis to draw, such as \"batch\": {\"uniform\": [1, 64]}");
  EXPECT_EQ(error_with(random + ", \"samples\": 2, \"zip\": [\"model\", \"batch\"]"),
            "s.json:3: /axes/batch: found a random axis in a zip, expected levels or a range (random axes go together "
            "anyway)");
}

}  // namespace
}  // namespace regatta::sweep
