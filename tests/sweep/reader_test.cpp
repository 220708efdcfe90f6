#include "regatta/sweep/reader.hpp"

#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

TEST(Reader, ReadsEverySection) {
  const Sweep sweep = sweep_with(R"("task": "benchmark",
    "axes": {"engine": ["native", "numpy@np2"], "mode": "eager", "model": ["mlp-10", "digits-mlp"], "batch": [1, 32]},
    "exclude": [{"model": "mlp-10", "batch": 1}, {"repeat": 1, "mode": "eager"}],
    "repeats": 3,
    "compare": {"over": ["engine", "repeat"], "baseline": {"engine": "numpy@np2", "repeat": 0}, "pairs": "baseline"},
    "measure": {"margin": "2%", "half_width": "0.5%", "per_contrast": "20s", "total": "10m", "metric": "time_per_step", "slices": 9, "steps": 7},
    "limits": {"trial_timeout": "5m", "attempts": 2, "memory": "8GiB"},
    "environments": {"np2": {"engine": "numpy", "python": "python3", "env": {"A": ""}}})");
  EXPECT_EQ(sweep.name, "s");
  EXPECT_EQ(sweep.task, Task::benchmark);
  ASSERT_EQ(sweep.axes.size(), 4U);
  EXPECT_EQ(sweep.axes[0].param, Param::engine);
  EXPECT_EQ(sweep.axes[1].levels, std::vector<Value>{std::string("eager")});  // a scalar is a list of one
  EXPECT_EQ(sweep.axes[3].levels, (std::vector<Value>{std::int64_t{1}, std::int64_t{32}}));
  ASSERT_EQ(sweep.excludes.size(), 2U);
  EXPECT_EQ(sweep.excludes[0], (Match{{Param::model, std::string("mlp-10")}, {Param::batch, std::int64_t{1}}}));
  EXPECT_EQ(sweep.repeats, 3);
  EXPECT_EQ(sweep.compare->over, (std::vector<Param>{Param::engine, Param::repeat}));
  EXPECT_EQ(sweep.compare->baseline,
            (Match{{Param::engine, std::string("numpy@np2")}, {Param::repeat, std::int64_t{0}}}));
  EXPECT_EQ(sweep.environments.at("np2").variables.at("A"), "");
  EXPECT_EQ(sweep.environments.at("np2").python, "python3");
}

TEST(Reader, ReadsBudgetsAndLimitsInBaseUnits) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "noop"},
    "measure": {"margin": "2%", "half_width": "0.5%", "per_contrast": "20s", "total": "10m", "metric": "time_per_step", "slices": 9, "steps": 7},
    "limits": {"trial_timeout": "5m", "attempts": 2, "memory": "8GiB"})");
  EXPECT_DOUBLE_EQ(sweep.measure.margin, 0.02);
  EXPECT_DOUBLE_EQ(sweep.measure.half_width, 0.005);
  EXPECT_DOUBLE_EQ(sweep.measure.per_contrast_seconds, 20);
  EXPECT_DOUBLE_EQ(sweep.measure.total_seconds.value(), 600);
  EXPECT_EQ(sweep.measure.metric, Metric::time_per_step);
  EXPECT_EQ(sweep.measure.slices, 9);
  EXPECT_EQ(sweep.measure.steps, 7);
  EXPECT_DOUBLE_EQ(sweep.limits.trial_timeout_seconds, 300);
  EXPECT_EQ(sweep.limits.attempts, 2);
  EXPECT_EQ(sweep.limits.memory_bytes, std::uint64_t{8} << 30);
}

TEST(Reader, DefaultsStandWhereNothingIsSaid) {
  const Sweep sweep = sweep_with(R"("axes": {"model": "noop"})");
  EXPECT_DOUBLE_EQ(sweep.measure.margin, 0.01);
  EXPECT_EQ(sweep.measure.metric, Metric::time_per_sample);
  EXPECT_FALSE(sweep.measure.total_seconds);
  EXPECT_EQ(sweep.limits.attempts, 3);
  EXPECT_FALSE(sweep.limits.memory_bytes);
  EXPECT_FALSE(sweep.compare);
  EXPECT_EQ(sweep.repeats, 1);
}

TEST(Reader, ModelsWrittenOutJoinTheSweep) {
  const Sweep sweep =
      sweep_with(R"("axes": {"model": ["mlp-10", {"name": "odd", "input": [13], "layers": [{"dense": 3}],
    "loss": "mse", "optimizer": {"adam": {"learning_rate": 0.003}}}]})");
  EXPECT_EQ(sweep.axes[0].levels[1], Value(std::string("odd")));
  const auto& network = std::get<model::Network>(sweep.models.at("odd"));
  EXPECT_EQ(network.input, model::Shape{13});
  EXPECT_DOUBLE_EQ(std::get<model::Adam>(network.optimizer).learning_rate, 0.003);
}

TEST(Reader, PathsAreRelativeToTheFile) {
  const std::string keys = R"("axes": {"engine": "command", "command": "a"},
    "environments": {"e": {"engine": "numpy", "python": "venv/bin/python"}, "f": {"engine": "native", "program": ["./w", "x/y"]},
                     "g": {"engine": "native", "program": ["/bin/w"]}},
    "commands": {"a": {"argv": ["../bin/a", "x/y"], "metric": "json:seconds"}, "b": {"argv": ["python3"]}})";
  const Sweep sweep = parse_sweep(file_with(keys), "/home/me/sweeps/s.json");
  EXPECT_EQ(sweep.environments.at("e").python, "/home/me/sweeps/venv/bin/python");
  EXPECT_EQ(sweep.environments.at("f").program, (std::vector<std::string>{"/home/me/sweeps/w", "x/y"}));
  EXPECT_EQ(sweep.environments.at("g").program, std::vector<std::string>{"/bin/w"});
  EXPECT_EQ(sweep.commands.at("a").argv, (std::vector<std::string>{"/home/me/bin/a", "x/y"}));
  EXPECT_EQ(sweep.commands.at("a").metric_key, "seconds");
  EXPECT_EQ(sweep.commands.at("b").argv, std::vector<std::string>{"python3"});  // found in PATH when it is started
  EXPECT_EQ(sweep.commands.at("b").metric_key, "");
}

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
            "--set mode=grpah: found \"grpah\", expected \"eager\", \"graph\" or \"xla\"; did you mean \"graph\"?");
  EXPECT_EQ(error("engine=native@x"),
            "--set engine=native@x: found \"native@x\", expected an entry \"x\" in \"environments\"");
  EXPECT_EQ(
      error("repeat=1"),
      "--set repeat=1: found the parameter \"repeat\", expected the key \"repeats\" of the sweep, which makes it");
}

}  // namespace
}  // namespace regatta::sweep
