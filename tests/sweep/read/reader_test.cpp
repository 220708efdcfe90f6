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
  EXPECT_EQ(sweep.excludes[0], (Condition{{Param::model, {std::string("mlp-10")}}, {Param::batch, {std::int64_t{1}}}}));
  EXPECT_EQ(sweep.repeats, 3);
  EXPECT_EQ(sweep.compare->over, (std::vector<Param>{Param::engine, Param::repeat}));
  EXPECT_EQ(sweep.compare->baseline,
            (Match{{Param::engine, std::string("numpy@np2")}, {Param::repeat, std::int64_t{0}}}));
  EXPECT_EQ(sweep.environments.at("np2").variables.at("A"), "");
  EXPECT_EQ(sweep.environments.at("np2").python, "python3");
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

}  // namespace
}  // namespace regatta::sweep
