#include <gtest/gtest.h>

#include "sweep/read/read.hpp"
#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// A machine that has only these engines.
OutsideEnvironments machine_with(const std::set<std::string>& engines) {
  OutsideEnvironments outside;
  outside.missing = [engines](const Sweep&, const std::string& engine) {
    return engines.contains(engine) ? std::nullopt : std::optional(engine + " is not installed");
  };
  return outside;
}

Sweep sweep_on(const std::set<std::string>& engines, const std::string& keys) {
  return parse_sweep(file_with(keys), "s.json", machine_with(engines));
}

std::string error_on(const std::set<std::string>& engines, const std::string& keys) {
  return input_error([&] { make_plan(sweep_on(engines, keys)); });
}

std::string engines_of(const Plan& plan) {
  std::string text;
  for (const Trial& trial : plan.trials) text += (text.empty() ? "" : " ") + text_of(trial.parameters, Param::engine);
  return text;
}

const std::string optional_axes = R"("axes": {"engine": ["native", "torch?", "jax?"], "model": "mlp-10"})";

TEST(OptionalLevels, AreUsedWhereTheyAreFound) {
  const Sweep all = sweep_on({"torch", "jax"}, optional_axes);
  EXPECT_EQ(engines_of(make_plan(all)), "native torch jax");
  EXPECT_TRUE(all.left_out.empty());
  EXPECT_TRUE(all.changes.empty());
  const Sweep some = sweep_on({"jax"}, optional_axes);
  EXPECT_EQ(engines_of(make_plan(some)), "native jax");
  ASSERT_EQ(some.left_out.size(), 1U);
  EXPECT_EQ(some.left_out[0].level, Value(std::string("torch")));
  EXPECT_EQ(some.left_out[0].reason, "torch is not installed");
}

TEST(OptionalLevels, MayBeExcludedWhereTheirEnvironmentIsMissing) {
  const std::string keys = R"("axes": {"engine": ["native", "torch@old?"], "model": "mlp-10", "batch": [1, 8]},
    "exclude": [{"engine": "torch@old", "batch": 8}])";
  EXPECT_EQ(engines_of(make_plan(sweep_on({}, keys))), "native native");
  EXPECT_NE(error_on({}, R"("axes": {"engine": "native", "model": "mlp-10"}, "exclude": [{"engine": "torch@old"}])")
                .find("torch@old"),
            std::string::npos)
      << "nobody named it";
}

TEST(OptionalLevels, AreLookedForOnceHoweverOftenTheyAreNamed) {
  int looks = 0;
  Sweep sweep;
  sweep.outside.missing = [&looks](const Sweep&, const std::string&) {
    ++looks;
    return std::optional<std::string>();
  };
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(take_optional_engine(sweep, "torch"));
  EXPECT_EQ(looks, 1);
}

TEST(OptionalLevels, AreTheSameTrialsAsOthers) {
  const Plan optional = make_plan(sweep_on({"torch"}, optional_axes));
  const Plan plain = plan_with(R"("axes": {"engine": ["native", "torch"], "model": "mlp-10"})");
  ASSERT_EQ(optional.trials.size(), 2U);
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(optional.trials[i].hash, plain.trials[i].hash);
}

/// "native numpy | native torch": the engines of each block's arms.
std::string engines_of_blocks(const Plan& plan) {
  std::string text;
  for (const Block& block : plan.blocks) {
    if (block.has_clone) continue;
    if (!text.empty()) text += " | ";
    for (std::size_t arm = 0; arm < block.distinct_arms(); ++arm)
      text += (arm == 0 ? "" : " ") + text_of(plan.trials[block.arms[arm].value].parameters, Param::engine);
  }
  return text;
}

TEST(OptionalLevels, AreMeasuredAfterTheRestInBlocksOfTheirOwn) {
  const std::string compare = R"(, "compare": {"over": "engine", "baseline": {"engine": "native"}})";
  const std::string axes = R"("axes": {"engine": ["native", "torch?", "numpy"], "model": "mlp-10", "batch": [1, 32]})";
  const Plan with = make_plan(sweep_on({"torch"}, axes + compare));
  EXPECT_EQ(engines_of_blocks(with), "native numpy | native numpy | native torch | native torch");
  const Plan without = make_plan(sweep_on({}, axes + compare));
  EXPECT_EQ(engines_of_blocks(without), "native numpy | native numpy");
  for (std::size_t i = 0; i < 2; ++i) EXPECT_EQ(with.blocks[i].hash, without.blocks[i].hash);
  for (const Block& block : with.blocks) EXPECT_TRUE(block.has_baseline);
}

TEST(OptionalLevels, StandAloneBesideTheBaselineWhereNothingElseIsCompared) {
  const Plan plan = make_plan(sweep_on({"torch"}, R"("axes": {"engine": ["native", "torch?"], "model": "mlp-10"},
                             "compare": {"over": "engine", "baseline": {"engine": "native"}})"));
  EXPECT_EQ(engines_of_blocks(plan), "native torch");
  EXPECT_TRUE(plan.no_contrasts.empty());
}

TEST(OptionalLevels, AreLeftOutAgainWhereverTheTextIsRead) {
  const Sweep here = sweep_on({}, optional_axes);
  Sweep there = parse_sweep(here.text, "s.json", any_environment());
  EXPECT_EQ(engines_of(make_plan(there)), "native torch jax");
  for (const std::string& change : here.changes) apply_change(there, change);
  EXPECT_EQ(engines_of(make_plan(there)), "native");
  EXPECT_EQ(there.changes, here.changes);
}

TEST(OptionalLevels, AnEnvironmentThatNobodyKnowsIsOneThatIsNotFound) {
  const Sweep sweep = sweep_on({"numpy"}, R"("axes": {"engine": ["numpy", "numpy@old?"], "model": "mlp-10"})");
  ASSERT_EQ(sweep.left_out.size(), 1U);
  EXPECT_EQ(sweep.left_out[0].reason, "there is no environment old");
}

TEST(OptionalLevels, StayKnownToExclusionsAndConditions) {
  const Plan plan = make_plan(sweep_on({}, optional_axes + R"(, "exclude": [{"engine": "torch", "batch": 32}],
    "include": [{"batch": [2]}], "when": [{"if": {"engine": "jax"}, "axes": {"threads": [1, 2]}}])"));
  EXPECT_EQ(engines_of(plan), "native native");
}

TEST(OptionalLevels, ASetAxisForgetsWhatWasLeftOut) {
  Sweep sweep = sweep_on({}, optional_axes);
  set_axis(sweep, "engine=native,torch,numpy?");
  EXPECT_EQ(engines_of(make_plan(sweep)), "native torch");
  Sweep there = parse_sweep(sweep.text, "s.json", any_environment());
  for (const std::string& change : sweep.changes) apply_change(there, change);
  EXPECT_EQ(engines_of(make_plan(there)), "native torch");
}

TEST(OptionalLevels, Errors) {
  EXPECT_EQ(error_on({}, R"("axes": {"engine": ["native", "troch?"], "model": "mlp-10"})"),
            "s.json:2: /axes/engine/1: found \"troch?\", expected \"native\", \"torch\", \"tensorflow\", \"jax\", "
            "\"numpy\" or \"command\"; did you mean \"torch?\"?");
  EXPECT_EQ(error_on({}, R"("axes": {"mode": ["eager", "graph?"], "model": "mlp-10"})"),
            "s.json:2: /axes/mode/1: found \"graph?\", expected \"eager\", \"graph\", \"xla\", \"v1-session\" or "
            "\"reduce-overhead\"; did you "
            "mean \"graph\"?");
  EXPECT_EQ(error_on({}, R"("axes": {"engine": ["torch", "torch?"], "model": "mlp-10"})"),
            "s.json:2: /axes/engine/1: found \"torch\" a second time, expected each level once");
  EXPECT_EQ(error_on({}, R"("axes": {"model": "mlp-10", "engine": "torch?"})"),
            "s.json:2: /axes/engine: found no level that is here (torch is left out: torch is not installed), expected "
            "at least one point to stay");
  EXPECT_EQ(error_on({}, optional_axes + ",\n" + R"("compare": {"over": "engine", "baseline": {"engine": "torch"}})"),
            "s.json:3: /compare/baseline: found {\"engine\":\"torch\"}, which matches no arm (torch is left out: torch "
            "is not installed), expected it to match exactly one arm of each comparison");
  EXPECT_EQ(optional_engine(Param::mode, std::string("graph?")), std::nullopt);
  EXPECT_EQ(optional_engine(Param::engine, std::string("torch?")), "torch");
}

}  // namespace
}  // namespace regatta::sweep
