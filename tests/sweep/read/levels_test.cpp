#include "sweep/read/levels.hpp"

#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// The message about a level; "fine" if nothing is wrong.
std::string verdict(Param param, const Value& value, const Sweep& sweep = {}) {
  const auto problem = level_problem(sweep, param, value);
  return problem ? problem->expected + " / " + problem->suggestion : "fine";
}

TEST(Levels, EveryLevelOfTheTableIsOne) {
  for (const ParamInfo& row : parameter_table()) {
    for (const auto level : row.levels) EXPECT_EQ(verdict(row.param, std::string(level)), "fine") << row.name;
    if (row.type == ParamType::integer && row.param != Param::repeat) {
      EXPECT_EQ(verdict(row.param, row.minimum), "fine") << row.name;
      EXPECT_EQ(verdict(row.param, row.maximum), "fine") << row.name;
      EXPECT_NE(verdict(row.param, row.minimum - 1), "fine") << row.name;
      EXPECT_NE(verdict(row.param, row.maximum + 1), "fine") << row.name;
    }
    EXPECT_NE(verdict(row.param, Value()), "fine") << row.name;
    EXPECT_NE(verdict(row.param, true), "fine") << row.name;
  }
}

TEST(Levels, RepeatsEndWhereTheSweepSays) {
  Sweep sweep;
  sweep.repeats = 3;
  EXPECT_EQ(verdict(Param::repeat, std::int64_t{2}, sweep), "fine");
  EXPECT_EQ(verdict(Param::repeat, std::int64_t{3}, sweep), "an integer from 0 to 2 / ");
}

/// Environments of every place: "both" is numpy's outside and native's in the sweep.
Sweep with_environments() {
  Sweep sweep = sweep_with(R"("axes": {"model": "noop"},
    "environments": {"both": {"engine": "native", "program": ["x"]}, "own": {"engine": "numpy", "python": "p"}})");
  sweep.outside.declared = {{"both", "numpy"}, {"given", "torch"}};
  sweep.outside.installed = {"cached", "own"};
  return sweep;
}

TEST(Levels, EnvironmentsMayBeDeclaredOutsideTheSweepOrInstalled) {
  const Sweep sweep = with_environments();
  const auto of = [&](const char* engine) { return verdict(Param::engine, std::string(engine), sweep); };
  for (const char* engine : {"numpy@both", "numpy@own", "torch@given", "numpy@cached", "jax@cached"})
    EXPECT_EQ(of(engine), "fine") << engine;
  EXPECT_EQ(of("native@both"), "an environment of the engine native (both is one of numpy) / ");
  EXPECT_EQ(of("torch@own"), "an environment of the engine torch (own is one of numpy) / ");
  EXPECT_EQ(of("native@cached"), "an environment of the engine native (cached is a Python installation) / ");
}

TEST(Levels, EnvironmentsThatCanBeInstalledAreFine) {
  Sweep sweep = with_environments();
  sweep.outside.locked = {"torch-1.4"};
  EXPECT_EQ(verdict(Param::engine, std::string("torch@torch-1.4"), sweep), "fine");
  EXPECT_EQ(verdict(Param::engine, std::string("numpy@torch-1.4"), sweep),
            "an environment of the engine numpy (torch-1.4 is one of torch) / ");
}

TEST(Levels, UnknownEnvironmentsAreToldWhichThereAreForTheirEngine) {
  const Sweep sweep = with_environments();
  const auto of = [&](const char* engine) { return verdict(Param::engine, std::string(engine), sweep); };
  EXPECT_EQ(of("torch@cachd"), "an environment of the engine torch " + environment_places +
                                   " (known: \"cached\" or \"given\") / torch@cached");
  EXPECT_EQ(of("numpy@givn"), "an environment of the engine numpy " + environment_places +
                                  " (known: \"both\", \"cached\" or \"own\") / ");
  EXPECT_EQ(of("native@cached2"), "an environment of the engine native " + environment_places + " (there is none) / ");
}

TEST(Levels, EnvironmentsOfASweepThatWasAcceptedBeforeNeedNotBeHere) {
  Sweep sweep = with_environments();
  sweep.outside = any_environment();
  EXPECT_EQ(verdict(Param::engine, std::string("torch@own"), sweep), "fine");
  EXPECT_EQ(verdict(Param::engine, std::string("torch@gone"), sweep), "fine");
  EXPECT_NE(verdict(Param::engine, std::string("torhc@gone"), sweep), "fine");
}

TEST(Levels, SuggestionsAreForTextsOnly) {
  EXPECT_EQ(verdict(Param::mode, std::string("eagr")),
            "\"eager\", \"graph\", \"xla\", \"v1-session\" or \"reduce-overhead\" / eager");
  EXPECT_EQ(verdict(Param::mode, std::int64_t{1}),
            "\"eager\", \"graph\", \"xla\", \"v1-session\" or \"reduce-overhead\" / ");
}

TEST(Levels, RepeatedOnesAreTheSameInValueAndType) {
  EXPECT_EQ(first_repeated({std::int64_t{1}, std::int64_t{2}, std::int64_t{1}}), 2U);
  EXPECT_EQ(first_repeated({std::int64_t{1}, std::string("1")}), std::nullopt);
  EXPECT_EQ(first_repeated({}), std::nullopt);
}

}  // namespace
}  // namespace regatta::sweep
