#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(SetAxis, ReplacesAnAxisInItsPlaceOrAddsOne) {
  Sweep sweep = sweep_with(R"("axes": {"batch": [1, 2], "model": ["mlp-10", {"name": "mine", "matmul": 10}]})");
  set_axis(sweep, "batch=8,16,32");
  set_axis(sweep, "mode=eager");
  set_axis(sweep, "model=mine");
  ASSERT_EQ(sweep.axes.size(), 3U);
  EXPECT_EQ(sweep.axes[0].levels, (std::vector<Value>{std::int64_t{8}, std::int64_t{16}, std::int64_t{32}}));
  EXPECT_EQ(sweep.axes[1].levels, std::vector<Value>{std::string("mine")});
  EXPECT_EQ(sweep.axes[2].param, Param::mode);
}

TEST(SetAxis, TakesSizesWhereBytesAreCounted) {
  Sweep sweep = sweep_with(R"("axes": {"model": "noop"})");
  set_axis(sweep, "bucket_bytes=0,1MiB");
  EXPECT_EQ(sweep.axes.back().levels, (std::vector<Value>{std::int64_t{0}, std::int64_t{1048576}}));
}

TEST(SetAxis, RefusesWhatTheFileCouldNotSayEither) {
  const auto error = [](const std::string& assignment) {
    Sweep sweep = sweep_with(R"("axes": {"model": "noop"})");
    return input_error([&] { set_axis(sweep, assignment); });
  };
  EXPECT_EQ(error("batch"), "--set batch: found no '=', expected AXIS=LEVEL,LEVEL");
  EXPECT_EQ(error("batch="), "--set batch=: found \"\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=32,"), "--set batch=32,: found \"\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=0"), "--set batch=0: found \"0\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=99999999999999999999"),
            "--set batch=99999999999999999999: found \"99999999999999999999\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=1,2,1"), "--set batch=1,2,1: found 1 a second time, expected each level once");
  EXPECT_EQ(error("mode=grpah"),
            "--set mode=grpah: found \"grpah\", expected \"eager\", \"graph\", \"xla\", \"v1-session\" or "
            "\"reduce-overhead\"; did you mean "
            "\"graph\"?");
  EXPECT_EQ(error("engine=native@x"),
            "--set engine=native@x: found \"native@x\", expected an environment of the engine native " +
                environment_places + " (there is none)");
  EXPECT_EQ(
      error("repeat=1"),
      "--set repeat=1: found the parameter \"repeat\", expected the key \"repeats\" of the sweep, which makes it");
}

TEST(SetAxis, TakesTheAxisOutOfWhatItWasPartOf) {
  Sweep sweep =
      sweep_with(R"("axes": {"model": "mlp-10", "batch": [1, 2, 1], "seed": [1, 1, 2]}, "zip": ["batch", "seed"],
    "when": [{"if": {"batch": 1}, "axes": {"mode": ["eager", "graph"]}}], "include": [{"batch": 64}, {"seed": 7}])");
  EXPECT_EQ(make_plan(sweep).points, (2 + 1 + 2) + 2 + (2 + 1));
  set_axis(sweep, "batch=1,4");
  set_axis(sweep, "mode=eager");
  EXPECT_EQ(make_plan(sweep).points, 4 + 2) << "batch x seed, and seed 7";
}

TEST(KeepOnly, KeepsPointsWithTheseLevels) {
  Sweep sweep = sweep_with(R"("axes": {"model": ["mlp-10", "noop"], "batch": [1, 2, 4], "mode": ["eager", "graph"]})");
  const Plan whole = make_plan(sweep);
  keep_only(sweep, "batch=4,2");
  keep_only(sweep, "model=mlp-10");
  const Plan part = make_plan(sweep);
  ASSERT_EQ(part.trials.size(), 4U);
  EXPECT_EQ(part.trials[0].hash, whole.trials[2].hash);
  EXPECT_EQ(text_of(part.trials[1].parameters, Param::mode), "graph");
}

TEST(KeepOnly, ErrorsSayWhatThereIs) {
  const auto error = [](const std::string& assignment) {
    Sweep sweep = sweep_with(R"("axes": {"model": "noop", "batch": [1, 2]}, "repeats": 2)");
    return input_error([&] {
      keep_only(sweep, assignment);
      make_plan(sweep);
    });
  };
  EXPECT_EQ(error("batch"), "--only batch: found no '=', expected AXIS=LEVEL,LEVEL");
  EXPECT_EQ(error("btch=1"), "--only btch=1: found the unknown parameter \"btch\", expected " +
                                 three_params(R"("batch", "api" or "loop")") + "; did you mean \"batch\"?");
  EXPECT_EQ(error("mode=eager"),
            "--only mode=eager: found the parameter \"mode\", which is no axis of this sweep, expected \"repeat\", "
            "\"model\" or \"batch\"");
  EXPECT_EQ(error("batch=3"), "--only batch=3: found 3, expected a level of the axis batch");
  EXPECT_EQ(error("batch=0"), "--only batch=0: found \"0\", expected an integer from 1 to 16777216");
  EXPECT_EQ(error("batch=1,1"), "--only batch=1,1: found 1 a second time, expected each level once");
  EXPECT_EQ(error("repeat=2"), "--only repeat=2: found \"2\", expected an integer from 0 to 1");
  EXPECT_EQ(error("batch=2"), "no error");
}

TEST(KeepOnly, NothingLeftIsAnError) {
  Sweep sweep = sweep_with(R"("axes": {"model": ["mlp-10", "noop"], "batch": [1, 2]}, "zip": ["model", "batch"])");
  keep_only(sweep, "batch=1");
  keep_only(sweep, "model=noop");
  EXPECT_EQ(input_error([&] { make_plan(sweep); }),
            "s.json:2: /axes: found no point that --only keeps, expected at least one point to stay");
}

TEST(KeepOnly, ABaselineThatItTakesAwayIsAnError) {
  Sweep sweep = sweep_with(two_engines + R"("compare": {"over": "engine", "baseline": {"engine": "native"}})");
  keep_only(sweep, "engine=numpy");
  EXPECT_EQ(input_error([&] { make_plan(sweep); }),
            "s.json:3: /compare/baseline: found {\"engine\":\"native\"}, which matches no arm (--only engine leaves it "
            "out), expected it to match exactly one arm of each comparison");
}

TEST(ApplyChange, GivesTheSamePlanFromTheSameText) {
  const std::string text = file_with(two_engines + "\"repeats\": 2");
  Sweep here = parse_sweep(text, "s.json");
  set_axis(here, "batch=1,2");
  keep_only(here, "mode=graph");
  EXPECT_EQ(here.changes, (std::vector<std::string>{"--set batch=1,2", "--only mode=graph"}));
  Sweep there = parse_sweep(text, "s.json");
  for (const std::string& change : here.changes) apply_change(there, change);
  EXPECT_EQ(there.changes, here.changes);
  const Plan a = make_plan(here);
  const Plan b = make_plan(there);
  ASSERT_EQ(a.trials.size(), b.trials.size());
  for (std::size_t i = 0; i < a.trials.size(); ++i) EXPECT_EQ(a.trials[i].hash, b.trials[i].hash);
  EXPECT_EQ(input_error([&] { apply_change(there, "--later x"); }),
            "found the unknown change '--later x', expected one of this version; use the version that wrote it");
}

TEST(TakeRecordedAxes, TakesWhatTheSweepCanHaveAndNothingElse) {
  Sweep sweep = parse_sweep(file_with(two_engines + "\"repeats\": 2"), "s.json");
  std::vector<Axis> axes = sweep.axes;
  axes.push_back({Param::batch, {std::int64_t{4}, std::int64_t{8}}});
  take_recorded_axes(sweep, axes);
  EXPECT_EQ(sweep.axes.size(), axes.size());
  axes.back().levels[1] = std::int64_t{4};
  EXPECT_EQ(input_error([&] { take_recorded_axes(sweep, axes); }),
            "it has an axis batch that its sweep cannot have: a level stands there twice");
  axes.back() = axes.front();
  EXPECT_NE(input_error([&] { take_recorded_axes(sweep, axes); }).find("it stands there twice"), std::string::npos);
  axes.back() = {Param::repeat, {std::int64_t{0}}};
  EXPECT_NE(input_error([&] { take_recorded_axes(sweep, axes); }).find("an axis repeat"), std::string::npos);
}

}  // namespace
}  // namespace regatta::sweep
