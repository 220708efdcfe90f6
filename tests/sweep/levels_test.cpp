#include "sweep/levels.hpp"

#include <gtest/gtest.h>

#include "sweep/sweeps.hpp"

namespace regatta::sweep {
namespace {

/// What a level is told; "fine" if nothing is wrong.
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

TEST(Levels, SuggestionsAreForTextsOnly) {
  EXPECT_EQ(verdict(Param::mode, std::string("eagr")), "\"eager\", \"graph\" or \"xla\" / eager");
  EXPECT_EQ(verdict(Param::mode, std::int64_t{1}), "\"eager\", \"graph\" or \"xla\" / ");
}

TEST(Levels, RepeatedOnesAreTheSameInValueAndType) {
  EXPECT_EQ(first_repeated({std::int64_t{1}, std::int64_t{2}, std::int64_t{1}}), 2U);
  EXPECT_EQ(first_repeated({std::int64_t{1}, std::string("1")}), std::nullopt);
  EXPECT_EQ(first_repeated({}), std::nullopt);
}

}  // namespace
}  // namespace regatta::sweep
