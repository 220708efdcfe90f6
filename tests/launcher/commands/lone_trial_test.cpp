#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "commands/commands.hpp"
#include "regatta/base/error.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/plan.hpp"
#include "regatta/sweep/reader.hpp"

namespace regatta::launcher {
namespace {

constexpr const char* stored = R"({
  "regatta": 1,
  "name": "all",
  "axes": {
    "engine": ["native", "numpy", "command"],
    "mode": ["eager", "graph"],
    "model": ["mlp-10", {"name": "own", "input": [4], "layers": [{"dense": 3, "activation": "softmax"}],
                         "loss": "sparse_categorical_crossentropy", "optimizer": {"sgd": {"learning_rate": 0.1}}}],
    "batch": [8, 32],
    "command": ["nap"]
  },
  "exclude": [{"engine": "numpy", "batch": 8}],
  "repeats": 2,
  "commands": {"nap": {"argv": ["sleep", "0.01"]}},
  "compare": {"over": ["engine", "mode"], "baseline": {"engine": "native", "mode": "graph"}},
  "measure": {"margin": "2%", "total": "10m", "explain": true},
  "limits": {"attempts": 5}
})";

sweep::Plan plan_of(const std::string& text) {
  return sweep::make_plan(sweep::parse_sweep(text, "/somewhere/all.json"));
}

TEST(LoneSweep, GivesEachTrialOfASweepAlone) {
  const sweep::Plan all = plan_of(stored);
  ASSERT_GT(all.trials.size(), 10U);
  for (const sweep::Trial& trial : all.trials) {
    const sweep::Plan lone = plan_of(lone_sweep(stored, trial.parameters));
    ASSERT_EQ(lone.trials.size(), 1U) << trial.canonical();
    sweep::Parameters parameters = lone.trials[0].parameters;
    parameters[sweep::Param::repeat] = trial.parameters[sweep::Param::repeat];
    EXPECT_EQ(parameters, trial.parameters) << trial.canonical();
    const auto* repeat = std::get_if<std::int64_t>(&trial.parameters[sweep::Param::repeat]);
    const bool is_first = repeat == nullptr || *repeat == 0;
    EXPECT_EQ(lone.trials[0].hash == trial.hash, is_first) << trial.canonical();
  }
}

TEST(LoneSweep, KeepsHowATrialRunsAndComparesNothing) {
  const sweep::Plan all = plan_of(stored);
  const sweep::Sweep lone = sweep::parse_sweep(lone_sweep(stored, all.trials[0].parameters), "/somewhere/all.json");
  EXPECT_EQ(lone.limits.attempts, 5);
  EXPECT_EQ(lone.measure.margin, 0.02);
  EXPECT_FALSE(lone.compare.has_value());
  EXPECT_FALSE(lone.measure.explain);
  EXPECT_FALSE(lone.measure.total_seconds.has_value());
}

TEST(LoneSweep, KeepsTheAxesOfTheSweepsOwnThatATrialReads) {
  const std::string own = R"({
    "regatta": 1, "name": "own",
    "axes": {"engine": ["command", "native"], "command": ["v", "w"], "n": [1, 2], "fast": [true],
             "model": {"name": "m", "input": [4], "layers": [{"dense": 3}], "loss": "mse",
                       "optimizer": {"sgd": {"learning_rate": 0.1}}},
             "layers.0.dense": [5, 6]},
    "commands": {"v": {"argv": ["v", "{n}"]}, "w": {"argv": ["w", "{fast}"]}}
  })";
  const sweep::Plan all = plan_of(own);
  ASSERT_EQ(all.trials.size(), 5U);
  for (const sweep::Trial& trial : all.trials) {
    const sweep::Plan lone = plan_of(lone_sweep(own, trial.parameters));
    ASSERT_EQ(lone.trials.size(), 1U);
    EXPECT_EQ(lone.trials[0].hash, trial.hash) << trial.canonical();
  }
}

TEST(LoneSweep, SaysWhenTheStoredSweepIsOfNoUse) {
  sweep::Parameters parameters;
  parameters[sweep::Param::model] = std::string("gone");
  const auto refusal = [&](const std::string& text) -> std::string {
    try {
      lone_sweep(text, parameters);
    } catch (const InputError& error) {
      return error.what();
    }
    return "accepted";
  };
  EXPECT_EQ(refusal(stored),
            "the stored sweep does not write out the model 'gone' (so it cannot be built again); run the sweep again "
            "instead");
  EXPECT_EQ(refusal("[]"),
            "the stored sweep is no JSON object (so its row cannot be run again); run the sweep again instead");
}

}  // namespace
}  // namespace regatta::launcher
