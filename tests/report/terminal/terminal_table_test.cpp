#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/report/export.hpp"
#include "report/awkward_table.hpp"

namespace regatta::report {
namespace {

using results::Table;
using sweep::Value;
using testing::HasSubstr;
using testing_support::awkward;

TEST(TerminalTable, ShowsUnitsAndNothingThatCouldDriveATerminal) {
  const std::string text = terminal_table(awkward(), {});
  EXPECT_THAT(text, HasSubstr("100 ms"));
  EXPECT_THAT(text, HasSubstr("100 ns"));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
}

TEST(TerminalTable, NamesWhatDoesNotFit) {
  TerminalOptions options;
  options.columns = 20;
  EXPECT_THAT(terminal_table(awkward(), options), HasSubstr("not shown here:\n"));
  options.columns = 80;
  EXPECT_EQ(terminal_table(awkward(), options).find("not shown"), std::string::npos);
  options.most_rows = 1;
  EXPECT_THAT(terminal_table(awkward(), options), HasSubstr("and 2 more rows (--json lists all)\n"));
}

TEST(TerminalTable, CutsIdsToWhatTellsThemApart) {
  static const std::vector<std::string> ids = {"aaaaaaaaaaaa0000", "aaaaaaaaaaab0000", "cccccccccccc0000"};
  Table table{"trials", {{"trial_hash", "", false, [](std::size_t row) { return Value(ids[row]); }}}, {0, 1, 2}};
  EXPECT_EQ(terminal_table(table, {}), "trial_hash\naaaaaaaaaaaa\naaaaaaaaaaab\ncccccccccccc\n");
  table.rows = {0, 2};
  EXPECT_EQ(terminal_table(table, {}), "trial_hash\naaaaaaaa\ncccccccc\n");
}

}  // namespace
}  // namespace regatta::report
