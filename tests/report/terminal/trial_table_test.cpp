#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/command_results.hpp"
#include "report/sample_results.hpp"
#include "report/terminal/terminal.hpp"

namespace regatta::report {
namespace {

using testing::HasSubstr;
using testing::Not;
using testing_support::sample_results;

std::string table_of(const results::Results& results, TerminalOptions options = {}) {
  options.details = true;
  const auto findings = analysis::findings_of(results);
  return trial_table(view_of(results, findings), options, {false});
}

/// The sample, of which nothing is compared.
results::Results times_only() {
  auto results = sample_results();
  for (auto& block : results.blocks) block.has_baseline = false;
  return results;
}

TEST(TrialTable, ListsEveryTrialIfNothingWasCompared) {
  const std::string table = table_of(times_only());
  EXPECT_THAT(
      table,
      HasSubstr("\nAll trials\nbatch  engine  mode      step     mean                  p95 [95 %]  samples/s\n"));
  EXPECT_THAT(table, HasSubstr("\n    1  native  graph  2.00 us  2.10 us  2.50 us [2.40 us, 2.60 us]      500 k\n"));
  EXPECT_THAT(
      table,
      HasSubstr("\n    1  torch   eager  skipped        \u2013                           \u2013          \u2013\n"));
}

TEST(TrialTable, ListsOnlyWhatHasNoRatioIfSomethingWas) {
  auto results = sample_results();
  results.blocks[1].has_baseline = false;
  const std::string table = table_of(results);
  EXPECT_THAT(table, HasSubstr("\nWithout a ratio\n"));
  EXPECT_THAT(table, HasSubstr("\n   32  native  graph"));
  EXPECT_THAT(table, Not(HasSubstr("\n    1  native")));
  EXPECT_EQ(table_of(sample_results()), "");
}

TEST(TrialTable, RowsWithASettingOfTheirOwnStandUnderNoHeading) {
  const auto results = testing_support::command_results();
  const std::string table = table_of(results);
  EXPECT_THAT(table, HasSubstr("\nAll trials\ncommand   length  error [K]  steps     time     mean\nexplicit      16"));
  EXPECT_THAT(table_of(results, {.columns = 40}), HasSubstr("\nlength  error [K]  steps     time\nexplicit\n"));
}

TEST(TrialTable, HasMeansAndQuantilesOnlyWithDetails) {
  const auto results = times_only();
  const auto findings = analysis::findings_of(results);
  const std::string table = trial_table(view_of(results, findings), {}, {false});
  EXPECT_THAT(table, HasSubstr("\nbatch  engine  mode      step\n"));
}

TEST(TrialTable, HasNoColumnOfQuantilesThatNobodyHas) {
  auto results = times_only();
  for (auto& trial : results.trials) trial.metrics.erase("latency_p95");
  EXPECT_THAT(table_of(results), Not(HasSubstr("p95")));
  EXPECT_THAT(table_of(times_only()), Not(HasSubstr("p99"))) << "18 slices are no p99";
}

TEST(TrialTable, LeavesOutColumnsWhereItIsNarrow) {
  EXPECT_THAT(table_of(times_only(), {.columns = 45}), Not(HasSubstr("p95")));
}

TEST(TrialTable, CountsTheRowsItLeavesOut) {
  EXPECT_THAT(table_of(times_only(), {.most_rows = 2}), HasSubstr("... 5 more trials, all in the result file"));
}

}  // namespace
}  // namespace regatta::report
