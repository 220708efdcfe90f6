#include "sweep/plan/level_table.hpp"

#include <gtest/gtest.h>

namespace regatta::sweep {
namespace {

TEST(LevelTable, TheDefaultIsNumberZero) {
  LevelTable table;
  EXPECT_EQ(table.find(Param::batch, std::int64_t{32}), 0U);
  EXPECT_EQ(table.add(Param::batch, std::int64_t{32}), 0U);
  EXPECT_EQ(table.find(Param::model, Value{}), 0U);
  for (const ParamInfo& row : parameter_table()) EXPECT_EQ(table.value(row.param, 0), row.fallback) << row.name;
}

TEST(LevelTable, EqualValuesHaveOneNumber) {
  LevelTable table;
  const LevelId eight = table.add(Param::batch, std::int64_t{8});
  EXPECT_EQ(table.add(Param::batch, std::int64_t{8}), eight);
  EXPECT_NE(table.add(Param::batch, std::int64_t{9}), eight);
  EXPECT_EQ(table.value(Param::batch, eight), Value(std::int64_t{8}));
  EXPECT_EQ(table.find(Param::batch, std::string("8")), std::nullopt);
}

TEST(LevelTable, RepetitionsTakeNoRoom) {
  LevelTable table;
  EXPECT_EQ(table.add(Param::repeat, std::int64_t{9'999'999}), 9'999'999U);
  EXPECT_EQ(table.value(Param::repeat, 1234), Value(std::int64_t{1234}));
}

TEST(LevelTable, GivesTheValuesOfAPoint) {
  LevelTable table;
  PointLevels levels{};
  levels[static_cast<std::size_t>(Param::mode)] = table.add(Param::mode, std::string("eager"));
  const Parameters values = table.values_at(levels);
  EXPECT_EQ(values[Param::mode], Value(std::string("eager")));
  EXPECT_EQ(values[Param::threads], Value(std::int64_t{1}));
}

}  // namespace
}  // namespace regatta::sweep
