#include "sweep/read/own_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

using testing::HasSubstr;

/// Axes of the command `w`, whose arguments are `argv`.
std::string command(const std::string& axes, const std::string& argv) {
  return R"("axes": {"engine": "command", "command": "w", )" + axes + R"(}, "commands": {"w": {"argv": [)" + argv +
         "]}}";
}

const std::string digits = R"({"name": "d", "input": [4], "layers": [{"dense": 8}], "loss": "mse",
  "optimizer": {"adam": {"learning_rate": 0.01}}})";

TEST(OwnAxes, AreWhatACommandReads) {
  const Sweep sweep = sweep_with(command(
      R"("n": [64, 128], "alg": ["a", "b"], "tol": {"geometric": [1e-6, 1e-2], "count": 3}, "fast": [true, false])",
      R"("w", "{n}", "--alg={alg}", "{tol} {fast}")"));
  EXPECT_EQ(find_own(sweep, "n")->kind(), Param::OwnKind::integer);
  EXPECT_EQ(find_own(sweep, "alg")->kind(), Param::OwnKind::text);
  EXPECT_EQ(find_own(sweep, "tol")->kind(), Param::OwnKind::real);
  EXPECT_EQ(find_own(sweep, "fast")->kind(), Param::OwnKind::flag);
  EXPECT_EQ(find_own(sweep, "m"), std::nullopt);
  EXPECT_EQ(make_plan(sweep).trials.size(), 2 * 2 * 3 * 2U);
}

TEST(OwnAxes, NumbersOfBothKindsAreReal) {
  const Sweep sweep = sweep_with(command(R"("x": [1, 2.5])", R"("w", "{x}")"));
  EXPECT_EQ(find_own(sweep, "x")->kind(), Param::OwnKind::real);
  EXPECT_EQ(sweep.axes.back().levels, (std::vector<Value>{1.0, 2.5}));
}

TEST(OwnAxes, HaveLevelsOfOneKind) {
  EXPECT_THAT(error_with(command(R"("x": [1, "a"])", R"("w", "{x}")")),
              HasSubstr("/axes/x/1: found \"a\", expected levels of one kind"));
  EXPECT_THAT(error_with(command(R"("x": [null])", R"("w", "{x}")")), HasSubstr("expected levels of one kind"));
  EXPECT_THAT(error_with(command(R"("x": [])", R"("w", "{x}")")), HasSubstr("expected"));
  EXPECT_THAT(error_with(command(R"("x": [""])", R"("w", "{x}")")), HasSubstr("a text of at least one character"));
  EXPECT_THAT(error_with(command(R"("x": [3, 3])", R"("w", "{x}")")), HasSubstr("3 a second time"));
}

TEST(OwnAxes, APlaceholderNeedsAnAxis) {
  EXPECT_THAT(error_with(command(R"("n": 1)", R"("w", "{n}", "{m}")")),
              HasSubstr("/commands/w/argv/2: found the placeholder {m}, expected an axis \"m\" that it stands for, or "
                        "{{m}} for the text itself"));
  EXPECT_THAT(error_with(command(R"("n": 1)", R"("w", "{n}", "{batch}")")),
              HasSubstr("found the placeholder {batch}, expected an axis with a name of its own (programs do not read "
                        "the parameter batch)"));
  EXPECT_NO_THROW(sweep_with(command(R"("threads": [1, 2])", R"("w", "-j{threads}", "{repeat}", "{ print $1 }")")));
}

TEST(OwnAxes, WhatNobodyReadsIsUnknown) {
  EXPECT_THAT(error_with(command(R"("n": 1)", R"("w")")), HasSubstr("/axes/n: found the unknown parameter \"n\""));
  EXPECT_THAT(error_with(command(R"("bacth": 1)", R"("w")")), HasSubstr("did you mean \"batch\"?"));
  EXPECT_THAT(error_with(R"("axes": {"model": "mlp-10", "layers.9.dense": [1]})"),
              HasSubstr("/axes/layers.9.dense: found the axis \"layers.9.dense\", which no model of this sweep has a "
                        "place for"));
}

TEST(OwnAxes, HaveNamesThatResultsDoNotHave) {
  for (const std::string name : {"trial_hash", "status", "m_n", "baseline_n", "verdict"})
    EXPECT_THAT(error_with(command("\"" + name + "\": 1", R"("w", "{)" + name + R"(}")")),
                HasSubstr("/axes/" + name + ": found the axis \"" + name + "\", as which results know something else"));
  EXPECT_THAT(error_with(command(R"("n": 1, "N": 2)", R"("w", "{n}", "{N}")")),
              HasSubstr("which the command w would find in one variable, REGATTA_N"));
  EXPECT_THAT(error_with(command(R"("parameters": 1)", R"("w", "{parameters}")")), HasSubstr("REGATTA_PARAMETERS"));
}

TEST(OwnAxes, HaveOneKindInAllOfTheirPlaces) {
  const auto included = [](const std::string& levels, const std::string& level) {
    return error_with(command("\"n\": " + levels, R"("w", "{n}")") + R"(, "include": [{"n": )" + level + "}]");
  };
  EXPECT_THAT(included("[1, 2]", "1.5"),
              HasSubstr("/include/0/n: found real numbers for the axis \"n\", expected whole "
                        "numbers, as elsewhere in this sweep"));
  EXPECT_THAT(included("[1, 2]", "\"x\""), HasSubstr("found texts for the axis"));
  EXPECT_THAT(included("[true]", "\"x\""), HasSubstr("expected true and false"));
  const Plan plan = plan_with(command("\"n\": [0.5]", R"("w", "{n}")") + R"(, "include": [{"n": 1}])");
  EXPECT_EQ(plan.trials[1].parameters.own()[0].value, Value(1.0));
}

TEST(OwnAxes, ReadsNamesThoseThatAProgramTakesFromItsEnvironment) {
  const std::string keys = R"("axes": {"engine": "command", "command": "w", "n": [1]},
    "commands": {"w": {"argv": ["w"], "reads": ["n"]}})";
  EXPECT_TRUE(sweep_with(keys).commands.at("w").reads.contains("n"));
  EXPECT_THAT(error_with(R"("axes": {"engine": "command", "command": "w"},
    "commands": {"w": {"argv": ["w"], "reads": ["n"]}})"),
              HasSubstr("/commands/w/reads: found \"n\", which is no axis of this sweep"));
  EXPECT_THAT(error_with(R"("axes": {"engine": "command", "command": "w"},
    "commands": {"w": {"argv": ["w"], "reads": ["n m"]}})"),
              HasSubstr("expected the name of an axis"));
}

TEST(OwnAxes, StandInZipsConditionsAndComparisonsLikeOthers) {
  const Plan plan =
      plan_with(command(R"("n": [1, 2, 3], "m": [4, 5, 5])", R"("w", "{n}", "{m}")") +
                R"(, "zip": ["n", "m"], "exclude": [{"n": 2}], "compare": {"over": "n", "baseline": {"n": 1}})");
  ASSERT_EQ(plan.trials.size(), 2U);
  EXPECT_EQ(to_json(plan.trials[1].parameters[Param::own("m", Param::OwnKind::integer)]), "5");
  EXPECT_THAT(error_with(command(R"("n": [1, 2])", R"("w", "{n}")") + R"(, "exclude": [{"m": 2}])"),
              HasSubstr("found the unknown parameter \"m\""));
  EXPECT_THAT(error_with(command(R"("n": [1, 2])", R"("w", "{n}")") + R"(, "exclude": [{"n": 3}])"),
              HasSubstr("expected a level of the axis n"));
}

TEST(OwnAxes, TheCommandLineSetsAndKeepsThem) {
  Sweep sweep = sweep_with(command(R"("n": [1, 2])", R"("w", "{n}")"));
  set_axis(sweep, "n=4,8,16");
  EXPECT_EQ(make_plan(sweep).trials.size(), 3U);
  keep_only(sweep, "n=8");
  EXPECT_EQ(make_plan(sweep).trials.size(), 1U);
  EXPECT_THAT(input_error([&] { set_axis(sweep, "m=1"); }), HasSubstr("unknown parameter"));
  EXPECT_THAT(input_error([&] { set_axis(sweep, "n=abc"); }), HasSubstr("expected whole numbers"));
  EXPECT_EQ(own_kind(std::vector<std::string>{"1", "2.5"}), Param::OwnKind::real);
  EXPECT_EQ(own_kind(std::vector<std::string>{"true"}), Param::OwnKind::flag);
  EXPECT_EQ(own_kind(std::vector<std::string>{"1", "x"}), Param::OwnKind::text);
}

TEST(OwnAxes, APlaceInTheOptimizerOfATrainingRunIsItsLearningRate) {
  EXPECT_THAT(error_with(R"("task": "train", "train": {"epochs": 1},
    "axes": {"model": )" +
                         digits + R"(, "optimizer.learning_rate": [0.1]})"),
              HasSubstr("expected the axis \"learning_rate\", which training runs read"));
}

}  // namespace
}  // namespace regatta::sweep
