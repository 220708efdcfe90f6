#include "sweep/plan/points.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// "mlp-10 1 | mlp-10 2": the values of these parameters at each point.
std::string points_of(const Sweep& sweep, const std::vector<Param>& params) {
  const Points points(sweep);
  std::string text;
  points.each([&](const Point& point) {
    if (!text.empty()) text += " | ";
    for (const Param param : params) text += (param == params.front() ? "" : " ") + to_text(point.values[param]);
  });
  return text;
}

std::string points_with(const std::string& keys, const std::vector<Param>& params) {
  return points_of(sweep_with(keys), params);
}

TEST(Points, RepeatsAreOutermostAndTheLastAxisIsFastest) {
  EXPECT_EQ(points_with(R"("axes": {"batch": [4, 2], "model": ["noop", "mlp-10"]}, "repeats": 2)",
                        {Param::repeat, Param::batch, Param::model}),
            "0 4 noop | 0 4 mlp-10 | 0 2 noop | 0 2 mlp-10 | 1 4 noop | 1 4 mlp-10 | 1 2 noop | 1 2 mlp-10");
}

TEST(Points, TrainingsNormalizeWholeBatchesUnlessTheyAreTold) {
  const std::string trains = R"("task": "train", "train": {"epochs": 1}, )";
  EXPECT_EQ(points_with(R"("axes": {"model": "mlp-10", "ranks": [1, 2]})", {Param::batch_statistics}), "shard | shard");
  EXPECT_EQ(points_with(trains + R"("axes": {"model": "mlp-10", "ranks": [1, 2]})", {Param::batch_statistics}),
            "batch | batch");
  EXPECT_EQ(points_with(trains + R"("axes": {"model": "mlp-10", "ranks": [1, 2], "batch_statistics": "shard"})",
                        {Param::batch_statistics}),
            "shard | shard");
}

TEST(Points, ZippedAxesGoTogetherWhereTheFirstOfThemStands) {
  EXPECT_EQ(points_with(R"("axes": {"model": ["conv1d-small", "conv1d-small"], "batch": [1, 2], "length": [140, 1400]},
                           "zip": ["model", "length"])",
                        {Param::length, Param::batch}),
            "140 1 | 140 2 | 1400 1 | 1400 2");
  EXPECT_EQ(points_with(R"("axes": {"model": "mlp-10", "batch": [1, 2], "threads": [1, 4], "mode": ["eager", "graph"],
                           "seed": [5, 6]}, "zip": [["batch", "threads"], ["seed", "mode"]])",
                        {Param::batch, Param::threads, Param::mode, Param::seed}),
            "1 1 eager 5 | 1 1 graph 6 | 2 4 eager 5 | 2 4 graph 6");
}

TEST(Points, ExclusionsLeaveOutWhatMatchesAllTheirParameters) {
  EXPECT_EQ(points_with(R"("axes": {"batch": [1, 2, 4], "model": "mlp-10", "mode": ["graph", "eager"]},
                           "exclude": [{"batch": [1, 2], "mode": "eager"}, {"batch": 4}])",
                        {Param::batch, Param::mode}),
            "1 graph | 2 graph");
}

TEST(Points, AnIncludeIsAGridBesideTheFirstThatNoExclusionTouches) {
  EXPECT_EQ(points_with(R"("axes": {"batch": [1, 2], "model": "mlp-10", "mode": ["graph", "eager"]},
                           "exclude": [{"mode": "eager"}], "include": [{"batch": [2, 8]}, {"mode": "eager", "seed": 3}],
                           "repeats": 2)",
                        {Param::repeat, Param::batch, Param::mode, Param::seed}),
            "0 1 graph 0 | 0 2 graph 0 | 0 2 graph 0 | 0 2 eager 0 | 0 8 graph 0 | 0 8 eager 0 | 0 1 eager 3 | 0 2 "
            "eager 3 | "
            "1 1 graph 0 | 1 2 graph 0 | 1 2 graph 0 | 1 2 eager 0 | 1 8 graph 0 | 1 8 eager 0 | 1 1 eager 3 | 1 2 "
            "eager 3");
}

TEST(Points, AnIncludedLevelLeavesItsZip) {
  EXPECT_EQ(points_with(R"("axes": {"model": "mlp-10", "batch": [1, 2, 1], "threads": [1, 1, 2]},
                           "zip": ["batch", "threads"], "include": [{"batch": 9}])",
                        {Param::batch, Param::threads}),
            "1 1 | 2 1 | 1 2 | 9 1 | 9 2");
}

TEST(Points, AnIncludeThatNamesEveryRandomAxisIsOnePointBesideTheDrawnOnes) {
  const std::string drawn = R"("axes": {"model": "mlp-10", "batch": {"uniform": [1, 4]}, "threads": {"choice": [1]}},
                               "samples": 2)";
  const std::string without = points_with(drawn, {Param::batch, Param::threads});
  EXPECT_EQ(points_with(drawn + R"(, "include": [{"batch": 9, "threads": 3}])", {Param::batch, Param::threads}),
            without + " | 9 3");
}

TEST(Points, ConditionalAxesAreThereWhereTheirConditionHolds) {
  EXPECT_EQ(points_with(R"("axes": {"engine": ["native", "tensorflow"], "model": "mlp-10"},
                           "when": [{"if": {"engine": "tensorflow"}, "axes": {"loop": ["fit", "custom"]}},
                                    {"if": {"loop": "fit"}, "axes": {"steps_per_call": [1, 10]}}])",
                        {Param::engine, Param::loop, Param::steps_per_call}),
            "native custom 1 | tensorflow fit 1 | tensorflow fit 10 | tensorflow custom 1");
}

TEST(Points, SeveralConditionsMayGiveOneParameterToDifferentPoints) {
  const std::string axes = R"("axes": {"engine": ["native", "torch", "tensorflow"], "model": "mlp-10"}, "when": [
    {"if": {"engine": ["native", "torch"]}, "axes": {"mode": ["eager", "graph"]}},
)";
  EXPECT_EQ(points_with(axes + R"({"if": {"engine": "tensorflow"}, "axes": {"mode": ["xla"]}}])",
                        {Param::engine, Param::mode}),
            "native eager | native graph | torch eager | torch graph | tensorflow xla");
  EXPECT_EQ(error_with(axes + R"({"if": {"engine": "torch"}, "axes": {"mode": ["eager"]}}])"),
            "s.json:4: /when/1/axes/mode: found the axis \"mode\", which an earlier \"when\" gives to some of the same "
            "points, expected conditions of which at most one holds at a point");
}

/// The levels of an axis in the file's order of draws.
std::vector<std::string> levels_of(const std::vector<Axis>& axes, std::string_view name) {
  std::vector<std::string> texts;
  for (const Axis& axis : axes) {
    if (name_of(axis.param) != name) continue;
    for (const Value& level : axis.levels) texts.push_back(to_text(level));
  }
  return texts;
}

TEST(Points, DrawnAxesUnderAConditionHaveTheLevelOfThePointsDraw) {
  const Sweep sweep = sweep_with(R"("axes": {"model": ["mlp-10", "noop"], "batch": {"uniform": [1, 9999]}},
      "samples": 3, "when": [{"if": {"model": "mlp-10"}, "axes": {"seed": {"uniform": [0, 99]}}},
                             {"if": {"model": "noop"}, "axes": {"seed": {"uniform": [100, 199]}}}])");
  const auto batches = levels_of(sweep.axes, "batch");
  const auto low = levels_of(sweep.whens[0].axes, "seed");
  const auto high = levels_of(sweep.whens[1].axes, "seed");
  std::string expected;
  for (const char* const model : {"mlp-10", "noop"}) {
    for (std::size_t draw = 0; draw < 3; ++draw) {
      expected += fmt::format("{}{} {} {}", expected.empty() ? "" : " | ", model, batches[draw],
                              (model == std::string("noop") ? high : low)[draw]);
    }
  }
  EXPECT_EQ(points_of(sweep, {Param::model, Param::batch, Param::seed}), expected);
}

TEST(Points, AxesThatAreDrawnUnderConditionsAloneMultiplyThePointsThatHaveThem) {
  const Sweep sweep = sweep_with(R"("axes": {"model": ["mlp-10", "noop", "mlp-784"]}, "samples": 2,
      "when": [{"if": {"model": "mlp-10"}, "axes": {"seed": {"uniform": [0, 999999]}}},
               {"if": {"model": "mlp-784"}, "axes": {"batch": {"uniform": [2, 999999]}}}])");
  const auto seeds = levels_of(sweep.whens[0].axes, "seed");
  const auto batches = levels_of(sweep.whens[1].axes, "batch");
  EXPECT_EQ(points_of(sweep, {Param::model, Param::seed, Param::batch}),
            fmt::format("mlp-10 {} 32 | mlp-10 {} 32 | noop 0 32 | mlp-784 0 {} | mlp-784 0 {}", seeds[0], seeds[1],
                        batches[0], batches[1]));
}

TEST(Points, SeveralDrawnAxesUnderOneConditionGoTogether) {
  const std::string keys = R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"]}, "samples": 4,
      "when": [{"if": {"mode": "eager"}, "axes": {"seed": {"uniform": [0, 9999]}, "batch": {"uniform": [1, 9999]}}}])";
  EXPECT_EQ(Points(sweep_with(keys)).at_most(), 4U + 1U);
}

TEST(Points, AConditionMayRestOnWhatIsDrawn) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "mode": {"choice": ["eager", "graph"]}}, "samples": 50,
      "when": [{"if": {"mode": "eager"}, "axes": {"seed": {"uniform": [1, 999999]}}}])");
  std::size_t eager = 0;
  std::size_t graph = 0;
  Points(sweep).each([&](const Point& point) {
    const bool is_eager = point.values[Param::mode] == Value(std::string("eager"));
    EXPECT_EQ(point.given[Param::seed], is_eager);
    ++(is_eager ? eager : graph);
  });
  const auto modes = levels_of(sweep.axes, "mode");
  EXPECT_EQ(eager, static_cast<std::size_t>(std::ranges::count(modes, "eager")));
  EXPECT_EQ(graph, 1U) << "draws without anything else that is drawn are one point";
}

TEST(Points, EqualDrawsStandOnceWhereverTheyAreEqual) {
  const std::string keys = R"("axes": {"model": ["mlp-10", "noop"], "batch": {"choice": [16, 32]}}, "samples": 100,
      "when": [{"if": {"model": "mlp-10"}, "axes": {"seed": {"choice": [1, 2, 3]}}}])";
  EXPECT_EQ(Points(sweep_with(keys)).at_most(), 2U * 3U + 2U);
}

TEST(Points, DrawsUnderConditionsDoNotDependOnOtherAxes) {
  const std::string when = R"("samples": 5, "when": [
      {"if": {"mode": "eager"}, "axes": {"seed": {"uniform": [0, 999999]}}}])";
  const Sweep few = sweep_with(R"("axes": {"model": "mlp-10", "mode": "eager"}, )" + when);
  const Sweep many =
      sweep_with(R"("axes": {"model": "mlp-10", "batch": {"uniform": [1, 99]}, "mode": ["graph", "eager"],
      "threads": [1, 2]}, )" +
                 when);
  EXPECT_EQ(few.whens[0].axes[0].levels, many.whens[0].axes[0].levels);
}

TEST(Points, AnIncludeReplacesADrawnAxisUnderAConditionToo) {
  const std::string drawn = R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"]}, "samples": 3,
      "when": [{"if": {"mode": "eager"}, "axes": {"seed": {"uniform": [0, 999999]}}}])";
  const std::string without = points_with(drawn, {Param::mode, Param::seed});
  EXPECT_EQ(points_with(drawn + R"(, "include": [{"mode": "eager", "seed": 7}])", {Param::mode, Param::seed}),
            without + " | eager 7");
}

TEST(Points, OnlyKeepsOneDrawOfAnAxisUnderACondition) {
  Sweep sweep = sweep_with(R"("axes": {"model": "mlp-10", "mode": ["eager", "graph"]}, "samples": 3,
      "when": [{"if": {"mode": "eager"}, "axes": {"seed": {"uniform": [1, 999999]}}}])");
  const std::string second = levels_of(sweep.whens[0].axes, "seed")[1];
  keep_only(sweep, "seed=" + second);
  EXPECT_EQ(points_of(sweep, {Param::mode, Param::seed}), "eager " + second + " | graph 0");
}

TEST(Points, OnlyShortensAxesAndSparesPointsWithoutThem) {
  Sweep sweep = sweep_with(R"("axes": {"engine": ["native", "tensorflow"], "model": "mlp-10", "batch": [1, 2, 4]},
                              "when": [{"if": {"engine": "tensorflow"}, "axes": {"loop": ["fit", "custom"]}}],
                              "include": [{"batch": 8}], "repeats": 2)");
  keep_only(sweep, "batch=2,8");
  keep_only(sweep, "loop=fit");
  keep_only(sweep, "repeat=1");
  EXPECT_EQ(points_of(sweep, {Param::repeat, Param::engine, Param::batch, Param::loop}),
            "1 native 2 custom | 1 tensorflow 2 fit | 1 native 8 custom | 1 tensorflow 8 fit");
}

TEST(Points, AreCountedBeforeTheyAreMade) {
  const std::string many =
      "found more than 1000000 points (levels of all axes and repeats, multiplied), expected at most that many";
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"noop\", \"mode\": [\"eager\", \"graph\"]}, \"repeats\": 1000000"),
            "s.json:2: /axes: " + many);
  const std::string range = R"({"linear": [1, 4096]})";  // 4096 to the sixth is 2 to the 72nd: beyond 64 bits
  EXPECT_EQ(
      error_with("\"axes\": {\"model\": \"mlp-10\", \"batch\": " + range + ", \"length\": " + range +
                 ", \"ranks\": " + range + ", \"seed\": " + range + ", \"threads\": " + range + "}, \"repeats\": 4096"),
      "s.json:2: /axes: " + many);
  const std::string million = R"({"linear": [1, 1000000]})";
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"mlp-10\", \"batch\": " + million + ", \"seed\": " + million + "}"),
            "s.json:2: /axes: " + many);
  EXPECT_EQ(error_with("\"axes\": {\"model\": \"mlp-10\", \"batch\": [1, 2]}, \"include\": [{\"seed\": " + million +
                       ", \"batch\": {\"linear\": [1, 10]}}]"),
            "s.json:2: /axes: " + many);
}

TEST(Points, ConditionalAxesCountOnlyWhereTheyAre) {
  // Four conditions of a thousand levels each: more than 10^12 points if all held everywhere.
  std::string whens;
  for (int batch = 1; batch <= 4; ++batch) {
    whens += std::string(whens.empty() ? "" : ",\n") + R"({"if": {"batch": )" + std::to_string(batch) +
             R"(}, "axes": {"seed": {"linear": [1, 1000]}}})";
  }
  const std::string keys =
      R"("axes": {"model": "mlp-10", "batch": {"linear": [1, 5]}, "threads": {"linear": [1, 10]}}, "when": [)";
  EXPECT_EQ(plan_with(keys + whens + "]").points, 4 * 1000 * 10 + 10);
  EXPECT_EQ(error_with(keys + whens + "], \"repeats\": 25"),
            "s.json:2: /axes: found more than 1000000 points (levels of all axes and repeats, multiplied), expected at "
            "most that many");
}

TEST(Points, KnowWhichParametersVary) {
  const Sweep sweep = sweep_with(R"("axes": {"engine": ["native", "tensorflow"], "model": "mlp-10"},
                              "when": [{"if": {"engine": "tensorflow"}, "axes": {"loop": "fit"}}],
                              "include": [{"batch": 8}])");
  const Points points(sweep);
  for (const ParamInfo& row : parameter_table()) {
    const bool varies =
        std::string(" engine model loop batch ").find(fmt::format(" {} ", row.name)) != std::string::npos;
    EXPECT_EQ(points.varying()[row.param], varies) << row.name;
    EXPECT_EQ(points.conditional()[row.param], row.param == Param::loop) << row.name;
  }
}

}  // namespace
}  // namespace regatta::sweep
