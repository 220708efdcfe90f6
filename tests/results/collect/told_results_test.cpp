#include "regatta/results/told_results.hpp"

#include <gtest/gtest.h>

#include <cmath>

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
