#include "regatta/results/told_results.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "regatta/base/error.hpp"
#include "results/collect/metrics.hpp"

namespace regatta::results {
namespace {

TrialRow row_of(const std::string& results) {
  TrialRow row;
  row.outcome = sweep::Finished{};
  sweep::set(row.facts, sweep::Fact::results, sweep::parse_results(results));
  return row;
}

std::string remarks(const TrialRow& row) { return sweep::text_of(row.facts, sweep::Fact::result_remarks); }

TEST(ToldResults, AreMediansOverRuns) {
  TrialRow row = row_of(R"({"a":{"unit":"K","values":[3.0,1.0,2.0]}})");
  fill_results(row);
  EXPECT_EQ(row.metrics.at("a"), 2);
  EXPECT_EQ(remarks(row), "");
  EXPECT_EQ(result_units(std::vector{row, row_of(R"({"a":{"unit":"","values":[1]},"b":{"unit":"","values":[1]}})")}),
            (std::map<std::string, std::string>{{"a", "K"}, {"b", "1"}}));
}

TEST(ToldResults, OneThatIsNoNumberInARunIsNoneAtAll) {
  TrialRow row = row_of(R"({"a":{"unit":"","values":[1.0,"nan"]},"b":{"unit":"","values":["inf",null]}})");
  fill_results(row);
  EXPECT_TRUE(std::isnan(row.metrics.at("a")));
  EXPECT_EQ(row.metrics.at("b"), INFINITY);
  EXPECT_EQ(remarks(row), "a is NaN in 1 of 2 runs; b is infinite in 1 of 2 runs, missing in 1 of 2 runs");
}

TEST(ToldResults, OfLaterRunsCountToo) {
  TrialRow row = row_of(R"({"a":{"unit":"","values":[1.0]}})");
  add_later(row, row_of(R"({"a":{"unit":"","values":[3.0]}})").facts);
  fill_results(row);
  EXPECT_EQ(row.metrics.at("a"), 2);
}

TEST(ToldResults, OfLaterRunsInAnUnlikeUnitFailTheRow) {
  TrialRow row = row_of(R"({"a":{"unit":"s","values":[1.2]}})");
  add_later(row, row_of(R"({"a":{"unit":"ms","values":[900.0]}})").facts);
  fill_results(row);
  EXPECT_NEAR(row.metrics.at("a"), 1.05, 1e-12);
  add_later(row, row_of(R"({"a":{"unit":"K","values":[3.0]}})").facts);
  ASSERT_TRUE(std::holds_alternative<sweep::Failed>(row.outcome));
  EXPECT_NE(sweep::reason_of(row.outcome).find("\"s\" and \"K\""), std::string::npos);
  EXPECT_TRUE(row.metrics.empty());
}

TEST(ToldResults, OfAllRowsHaveTheUnitOfTheFirst) {
  std::vector rows = {row_of(R"({"t":{"unit":"s","values":[1.2]},"b":{"unit":"KiB","values":[4]}})"),
                      row_of(R"({"t":{"unit":"ms","values":[900.0,700.0]},"b":{"unit":"B","values":[2048]}})")};
  for (TrialRow& row : rows) fill_results(row);
  unify_result_units(rows);
  EXPECT_EQ(rows[0].metrics, (std::map<std::string, double>{{"t", 1.2}, {"b", 4}}));
  EXPECT_EQ(rows[1].metrics, (std::map<std::string, double>{{"t", 0.8}, {"b", 2}}));
  EXPECT_EQ(result_units(rows), (std::map<std::string, std::string>{{"t", "s"}, {"b", "KiB"}}));
  EXPECT_EQ(sweep::value_of<sweep::ProgramResults>(rows[1].facts, sweep::Fact::results).at("t").values,
            (std::vector<std::optional<double>>{0.9, 0.7}));
}

TEST(ToldResults, ARowInAnUnlikeUnitHasFailed) {
  for (const char* const other : {"K", ""}) {
    std::vector rows = {row_of(R"({"t":{"unit":"","values":["nan"]}})"), row_of(R"({"t":{"unit":"s","values":[1.2]}})"),
                        row_of(std::string(R"({"t":{"unit":")") + other + R"(","values":[900.0]}})")};
    for (TrialRow& row : rows) fill_results(row);
    unify_result_units(rows);
    EXPECT_TRUE(std::holds_alternative<sweep::Finished>(rows[0].outcome)) << "NaN is so in any unit";
    EXPECT_TRUE(std::holds_alternative<sweep::Finished>(rows[1].outcome));
    ASSERT_TRUE(std::holds_alternative<sweep::Failed>(rows[2].outcome));
    EXPECT_NE(sweep::reason_of(rows[2].outcome).find("in different units, \"s\" and "), std::string::npos);
    EXPECT_TRUE(rows[2].metrics.empty());
  }
}

TEST(ToldResults, OfTwoFilesNeedUnitsThatMix) {
  const std::vector first = {row_of(R"({"t":{"unit":"s","values":[1.2]}})")};
  EXPECT_NO_THROW(expect_like_units(first, std::vector{row_of(R"({"t":{"unit":"ms","values":[900]}})")}, ""));
  try {
    expect_like_units(first, std::vector{row_of(R"({"t":{"unit":"B","values":[900]}})")}, "'a.h5' and 'b.h5'");
    FAIL();
  } catch (const InputError& error) {
    EXPECT_EQ(std::string(error.what()),
              "'a.h5' and 'b.h5' told 't' in different units, \"s\" and \"B\", and Regatta cannot convert one into the "
              "other; tell it in one unit everywhere");
  }
}

TEST(ToldResults, PeaksOfLaterProcessesStandBehindThoseThatItHas) {
  TrialRow row = row_of("");
  const auto peaks = [](sweep::ProcessPeaks bytes) {
    return sweep::Facts{{sweep::Fact::process_peaks, std::move(bytes)}};
  };
  add_later(row, peaks({12582912, 12587008}));
  add_later(row, peaks({9'000'000'000}));
  add_later(row, {});
  EXPECT_EQ(row.facts, peaks({12582912, 12587008, 9'000'000'000}));
}

TEST(ToldResults, ATrialThatToldNoneSaysNothing) {
  TrialRow row = row_of("");
  fill_results(row);
  EXPECT_TRUE(row.metrics.empty());
  EXPECT_TRUE(result_units(std::vector{row}).empty());
}

TEST(ToldResults, HaveNoNameThatIsAMetric) {
  for (const MetricInfo& metric : metric_table()) EXPECT_FALSE(sweep::may_be_result(metric.name)) << metric.name;
}

}  // namespace
}  // namespace regatta::results
