#include <gtest/gtest.h>

#include <algorithm>

#include "regatta/sweep/engines.hpp"
#include "regatta/sweep/parameters.hpp"

namespace regatta::sweep {
namespace {

TEST(ParameterTable, HasItsRowsInTheOrderOfTheirNamesAndNumbers) {
  const auto& rows = parameter_table();
  EXPECT_TRUE(std::ranges::is_sorted(rows, {}, &ParamInfo::name));
  for (std::size_t i = 0; i < rows.size(); ++i) EXPECT_EQ(static_cast<std::size_t>(rows[i].param.known()), i);
}

TEST(ParameterTable, HasDefaultsThatAreLevels) {
  for (const ParamInfo& row : parameter_table()) {
    if (const auto* text = std::get_if<std::string>(&row.fallback)) {
      EXPECT_NE(std::ranges::find(row.levels, *text), row.levels.end()) << row.name;
    }
    if (const auto* number = std::get_if<std::int64_t>(&row.fallback)) {
      EXPECT_GE(*number, row.minimum) << row.name;
      EXPECT_LE(*number, row.maximum) << row.name;
    }
  }
}

/// Whatever an engine lists is the name of a row.
TEST(EngineTable, ListsParametersThatThereAre) {
  for (const EngineInfo& engine : engine_table()) {
    for (const EngineInfo::Own& own : engine.own_params) EXPECT_TRUE(find_param(own.name)) << own.name;
  }
}

}  // namespace
}  // namespace regatta::sweep
