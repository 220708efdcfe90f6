#include "report/terminal/text_table.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::report {
namespace {

using testing::ElementsAre;

const std::vector<Column> sample = {
    {"name", false, 0, {"a", "longer"}}, {"n", true, 0, {"1", "\u2013"}}, {"x", false, 1, {"", "y"}}};

TEST(TextTable, AlignsByCodePointsWithoutTrailingBlanks) {
  EXPECT_THAT(lines_of(sample), ElementsAre("name    n  x", "a       1", "longer  \u2013  y"));
  EXPECT_EQ(total_width(sample), 12U);
}

TEST(TextTable, LeavesOutTheMostDispensableFirst) {
  std::vector<Column> columns = sample;
  columns.push_back({"zz", false, 2, {"", ""}});
  fit(columns, 12);
  ASSERT_EQ(columns.size(), 3U);
  EXPECT_EQ(columns.back().header, "x");
  fit(columns, 11);
  EXPECT_EQ(columns.size(), 2U);
  fit(columns, 1);
  EXPECT_EQ(columns.size(), 2U) << "columns that must stay, stay";
}

TEST(TextTable, MayBeEmpty) { EXPECT_THAT(lines_of({}), ElementsAre("")); }

}  // namespace
}  // namespace regatta::report
