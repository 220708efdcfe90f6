#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "regatta/analysis/findings.hpp"
#include "report/command_results.hpp"
#include "report/full_results.hpp"
#include "report/page/page.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;

std::string fastest_of(const results::Results& results) {
  const analysis::Findings findings = analysis::findings_of(results);
  return fastest_table(view_of(results, findings));
}

TEST(FastestPage, ShowsAllTrialsTheFastestFirst) {
  const std::string table = fastest_of(testing_support::full_results());
  double last = 0;
  std::size_t rows = 0;
  for (auto at = table.find("<tr><td class=\"n\">"); at != std::string::npos; at = table.find("<tr><td", at + 1)) {
    const double seconds = std::stod(table.substr(table.find("data-v=\"", at) + 8));
    EXPECT_GE(seconds, last);
    last = seconds;
    ++rows;
  }
  EXPECT_GE(rows, 2U);
  EXPECT_THAT(table, Not(HasSubstr("undecided, undecided")));
}

TEST(FastestPage, HasWhatProgramsToldAsColumnsAndNoneThatSayNothing) {
  const std::string table = fastest_of(testing_support::command_results());
  EXPECT_THAT(table, HasSubstr("error [K]</th>"));
  EXPECT_THAT(table, HasSubstr("steps</th>"));
  EXPECT_THAT(table, HasSubstr("<td class=\"n\" data-v=\"256\">256</td>"));
  EXPECT_THAT(table, HasSubstr("<th scope=\"col\">command</th>"));
  for (const char* empty : {"samples/s", ">engine<", ">mode<", "baseline"}) EXPECT_THAT(table, Not(HasSubstr(empty)));
}

TEST(FastestPage, IsLeftOutWhereThereIsNothingToOrder) { EXPECT_EQ(fastest_of({}), ""); }

TEST(FastestPage, SortsByAScriptThatLoadsNothing) {
  for (const char* forbidden : {"src=", "fetch", "import", "http", "innerHTML", "eval"})
    EXPECT_THAT(sorting_script(), Not(HasSubstr(forbidden)));
}

}  // namespace
}  // namespace regatta::report
