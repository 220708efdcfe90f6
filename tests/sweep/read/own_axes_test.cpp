#include "sweep/read/own_axes.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
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

TEST(OwnAxes, NumbersReachProgramsWithAllTheirDigits) {
  const auto error = [](const std::string& written) {
    return error_with(command("\"x\": " + written, R"("w", "{x}")"));
  };
  const std::string expected = ", expected whole numbers from -9007199254740991 to 9007199254740991, of which a double";
  EXPECT_THAT(error("[12345678901234567, 0.5]"), HasSubstr("/axes/x/0: found 12345678901234567" + expected));
  EXPECT_THAT(error("[0.5, -9007199254740993]"), HasSubstr("/axes/x/1: found -9007199254740993" + expected));
  EXPECT_THAT(error("10000000000000000000"), HasSubstr("/axes/x: found 10000000000000000000" + expected));
  EXPECT_THAT(error("[1e-400, 0.5]"), HasSubstr("found 1e-400, a number that no double holds"));
  EXPECT_THAT(error("[[1e-400], null]"), HasSubstr("found 1e-400, a number that no double holds"));
  EXPECT_THAT(error_with(command(R"("x": {"choice": [12345678901234567, 0.5]})", R"("w", "{x}")") + ", \"samples\": 2"),
              HasSubstr("/axes/x/choice/0: found 12345678901234567"));
  const Sweep sweep = sweep_with(command(R"("x": [9007199254740991, 0.5, 1e17, 0e-400])", R"("w", "{x}")"));
  EXPECT_EQ(sweep.axes.back().levels, (std::vector<Value>{9007199254740991.0, 0.5, 1e17, 0.0}));
  const Sweep exact = sweep_with(command(R"("x": [10000000000000000000, "auto"])", R"("w", "{x}")"));
  EXPECT_EQ(exact.axes.back().levels.front(), Value("10000000000000000000")) << "beside texts it is one";
}

TEST(OwnAxes, NumbersOfTheCommandLineDoSoToo) {
  Sweep sweep = sweep_with(command(R"("x": [1, 0.5])", R"("w", "{x}")"));
  for (const std::string level : {"12345678901234567", "10000000000000000000"}) {
    try {
      set_axis(sweep, "x=0.5," + level);
      ADD_FAILURE() << level;
    } catch (const InputError& error) {
      EXPECT_THAT(error.what(), HasSubstr(level + "\", expected whole numbers from"));
    }
  }
}

TEST(OwnAxes, DoNotHideTheFolderThatRegattaWasStartedIn) {
  EXPECT_THAT(error_with(command(R"("start_folder": "a")", R"("w", "{start_folder}")")),
              HasSubstr("would find in one variable, REGATTA_START_FOLDER"));
}

TEST(OwnAxes, OfAProgramHaveLevelsOfAnyKinds) {
  const auto levels = [](const std::string& written) {
    const Sweep sweep = sweep_with(command("\"x\": " + written, R"("w", "{x}")"));
    EXPECT_EQ(find_own(sweep, "x")->kind(), Param::OwnKind::json);
    std::vector<std::string> texts;
    for (const Value& level : sweep.axes.back().levels) texts.push_back(std::get<std::string>(level));
    return texts;
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(levels("[[10, 20, 30], [60, 50], []]"), (Texts{"[10,20,30]", "[60,50]", "[]"}));
  EXPECT_EQ(levels(R"([{"kind": "sgd", "lr": 0.10}, {"kind": "adam"}])"),
            (Texts{R"({"kind":"sgd","lr":0.1})", R"({"kind":"adam"})"}));
  EXPECT_EQ(levels("[null, 3]"), (Texts{"null", "3"}));
  EXPECT_EQ(levels("null"), (Texts{"null"}));
  EXPECT_EQ(levels(R"(["auto", 1, 0.5, true])"), (Texts{"auto", "1", "0.5", "true"}));
  EXPECT_EQ(levels(R"({"kind": "sgd"})"), (Texts{R"({"kind":"sgd"})"}));
}

TEST(OwnAxes, OfSeveralKindsTellEachLevelFromTheOthers) {
  const auto error = [](const std::string& written) {
    return error_with(command("\"x\": " + written, R"("w", "{x}")"));
  };
  EXPECT_THAT(
      error(R"(["1", 1])"),
      HasSubstr("/axes/x/0: found \"1\", expected 1 without quotes, or quotes around all levels of this axis (a "
                "program gets the text \"1\" and 1 alike)"));
  EXPECT_THAT(error(R"(["null", null])"), HasSubstr("expected null without quotes"));
  EXPECT_THAT(error("[[1, 2], [1,2]]"), HasSubstr("a second time"));
  EXPECT_THAT(error(R"(["a", {"linear": [1, 4]}])"), HasSubstr("expected levels of one kind beside a range"));
  EXPECT_THAT(error(R"(["", 1])"), HasSubstr("a text of at least one character"));
}

TEST(OwnAxes, OfSeveralKindsStandInConditionsAndBaselines) {
  const std::string axes = command(R"("x": [[1, 2], null, "auto"], "n": [1, 2])", R"("w", "{x}", "{n}")");
  EXPECT_EQ(plan_with(axes + R"(, "exclude": [{"x": [1, 2]}])").trials.size(), 4U);
  EXPECT_EQ(plan_with(axes + R"(, "exclude": [{"x": ["auto", [1, 2]]}])").trials.size(), 2U);
  EXPECT_EQ(plan_with(axes + R"(, "exclude": [{"x": null, "n": 1}])").trials.size(), 5U);
  EXPECT_EQ(plan_with(axes + R"(, "compare": {"over": "x", "baseline": {"x": [1, 2]}})").blocks.front().arms.size(),
            3U);
  EXPECT_EQ(plan_with(axes + R"(, "include": [{"x": 7}])").trials.size(), 8U);
}

TEST(OwnAxes, OfSeveralKindsAreSetOnTheCommandLine) {
  Sweep sweep = sweep_with(command(R"("x": [[1, 2], null])", R"("w", "{x}")"));
  set_axis(sweep, R"(x=[3, 4],{"a": [5, 6]},auto,7)");
  const std::vector<Value> levels = {Value("[3,4]"), Value(R"({"a":[5,6]})"), Value("auto"), Value("7")};
  EXPECT_EQ(sweep.axes.back().levels, levels);
  keep_only(sweep, R"(x=[3,4])");
  EXPECT_EQ(make_plan(sweep).trials.size(), 1U);
  EXPECT_EQ(own_kind(std::vector<std::string>{"[1,2]", "3"}), Param::OwnKind::json);
}

TEST(OwnAxes, OfModelsHaveLevelsOfOneKind) {
  EXPECT_THAT(error_with(R"("axes": {"model": )" + digits + R"(, "layers.0.dense": [8, [4]]})"),
              HasSubstr("/axes/layers.0.dense/1: found a list, expected levels of one kind"));
  EXPECT_THAT(error_with(R"("axes": {"model": )" + digits + R"(, "layers.0.dense": [null]})"),
              HasSubstr("expected levels of one kind"));
}

TEST(OwnAxes, HaveSomeLevelsEachOnce) {
  EXPECT_THAT(error_with(command(R"("x": [])", R"("w", "{x}")")), HasSubstr("expected"));
  EXPECT_THAT(error_with(command(R"("x": [""])", R"("w", "{x}")")), HasSubstr("a text of at least one character"));
  EXPECT_THAT(error_with(command(R"("x": [3, 3])", R"("w", "{x}")")), HasSubstr("3 a second time"));
}

TEST(OwnAxes, APlaceholderNeedsAnAxis) {
  EXPECT_THAT(error_with(command(R"("n": 1)", R"("w", "{n}", "{m}")")),
              HasSubstr("/commands/w/argv/2: found the placeholder {m}, expected an axis \"m\" that it stands for, or "
                        "{{m}} for the text itself"));
  EXPECT_THAT(error_with(command(R"("n": 1)", R"("w", "{n}", "{batch}")")),
              HasSubstr("found the placeholder {batch}, expected an axis \"batch\" that it stands for"));
  EXPECT_THAT(error_with(command(R"("n": 1)", R"("w", "{n}", "{device}")")),
              HasSubstr("found the placeholder {device}, expected an axis"));
  EXPECT_THAT(error_with(command(R"("n": 1)", R"("w", "{n}", "{engine}")")),
              HasSubstr("expected an axis with a name of its own (programs do not read the parameter engine)"));
  EXPECT_NO_THROW(sweep_with(command(R"("threads": [1, 2])", R"("w", "-j{threads}", "{repeat}", "{ print $1 }")")));
}

TEST(OwnAxes, MayHaveTheNamesOfParametersWhereOnlyProgramsRun) {
  const Sweep sweep = sweep_with(command(R"("seed": [-1, 0], "batch": ["auto", 8], "learning_rate": [0.1, 0.01],
    "model": ["resnet", "vit"], "dataset": "cifar", "prefetch": 3, "mode": true)",
                                         R"("w", "{seed}", "{batch}", "{learning_rate}", "{model}", "{dataset}",
    "{prefetch}", "{mode}")"));
  const Plan plan = make_plan(sweep);
  EXPECT_EQ(plan.trials.size(), 16U);
  EXPECT_EQ(plan.blocks.front().demand.ranks, 1);
  EXPECT_EQ(plan.trials.front().parameters[Param::seed], Value());
  EXPECT_EQ(own_json(plan.trials.front().parameters),
            R"({"batch":"auto","dataset":"cifar","learning_rate":0.1,"mode":true,"model":"resnet","prefetch":3,)"
            R"("seed":-1})");
}

TEST(OwnAxes, RanksOfAProgramAreTheSlotsThatItTakes) {
  const Plan plan = make_plan(sweep_with(command(R"("ranks": [1, 4])", R"("w", "-n", "{ranks}")")));
  EXPECT_EQ(plan.blocks.at(0).demand.ranks, 1);
  EXPECT_EQ(plan.blocks.at(1).demand.ranks, 4);
}

TEST(OwnAxes, OfThoseNamesStandInZipsConditionsAndComparisons) {
  const Sweep sweep = sweep_with(
      command(R"("seed": [0, 1, 2], "batch": [8, 16, 32], "mode": ["a", "b"])",
              R"("w", "{seed}", "{batch}", "{mode}")") +
      R"(, "zip": ["seed", "batch"], "exclude": [{"seed": 2}], "compare": {"over": "mode", "baseline": {"mode": "a"}})");
  EXPECT_EQ(make_plan(sweep).trials.size(), 4U);
  EXPECT_EQ(sweep.compare->replicates.front(), Param::own("seed", Param::OwnKind::integer));
  Sweep changed = sweep;
  set_axis(changed, "mode=a,y,z");
  keep_only(changed, "batch=16");
  EXPECT_EQ(make_plan(changed).trials.size(), 3U);
}

TEST(OwnAxes, OfThoseNamesAreParametersBesideOtherEngines) {
  const std::string both = R"(, "commands": {"w": {"argv": ["w", "{batch}"]}})";
  const Plan plan = plan_with(R"("axes": {"engine": ["native", "command"], "model": "mlp-10", "command": "w",
    "batch": [8, 16]})" + both);
  ASSERT_EQ(plan.trials.size(), 4U);
  for (const Trial& trial : plan.trials) EXPECT_TRUE(batch_of(trial.parameters)) << trial.canonical();
  EXPECT_THAT(error_with(R"("axes": {"engine": ["native", "command"], "model": "mlp-10", "command": "w",
    "batch": "auto"})" + both),
              HasSubstr("/axes/batch: found \"auto\", expected an integer"));
  EXPECT_THAT(error_with(R"("axes": {"engine": "command", "model": "mlp-10", "command": "w", "batch": "auto"},
    "include": [{"engine": "native"}])" +
                         both),
              HasSubstr("/axes/batch: found \"auto\", expected an integer"));
  EXPECT_THAT(error_with(R"("axes": {"engine": ["native", "command"], "model": "mlp-10", "command": "w"},
    "commands": {"w": {"argv": ["w", "{model}"]}})"),
              HasSubstr("(programs do not read the parameter model)"));
}

TEST(OwnAxes, MayHaveHyphens) {
  const Sweep sweep = sweep_with(command(R"("lr-max": [1, 2])", R"("w", "--lr-max={lr-max}")"));
  EXPECT_EQ(make_plan(sweep).trials.size(), 2U);
  EXPECT_EQ(variable_of("lr-max"), "REGATTA_LR_MAX");
  EXPECT_THAT(error_with(command(R"("lr-max": 1, "lr_max": 1)", R"("w", "{lr-max}", "{lr_max}")")),
              HasSubstr("in one variable, REGATTA_LR_MAX"));
}

TEST(OwnAxes, OfProgramsHaveMostNames) {
  for (const char* name : {"n", "seed", "model", "lr-max", "layers.0"})
    EXPECT_TRUE(may_be_axis_of_program(name)) << name;
  for (const char* name :
       {"engine", "command", "repeat", "threads", "ranks", "device", "status", "m_x", "1n", "a b", ""})
    EXPECT_FALSE(may_be_axis_of_program(name)) << name;
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
