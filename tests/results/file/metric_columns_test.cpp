#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "results/file/file.hpp"

namespace regatta::results::hdf5 {
namespace {

TEST(MetricColumns, HoldWhatTheRowsHoldAndNothingElse) {
  std::vector<TrialRow> trials(4);
  trials[0].metrics = {{"n", 1}, {"step_time", 2}};
  trials[1].metrics = {{"another", 5}, {"n", 3}, {"step_time", 4}};
  trials[3].metrics = {{"step_time", 6}};
  const auto columns = metric_columns(trials);
  ASSERT_EQ(columns.size(), metric_table().size() + 1);
  for (std::size_t at = 0; at < metric_table().size(); ++at) {
    EXPECT_EQ(columns[at].metric.name, metric_table()[at].name);
    EXPECT_EQ(columns[at].metric.unit, metric_table()[at].unit);
  }
  EXPECT_EQ(columns.back().metric.name, "another");
  for (const auto& [metric, values] : columns) {
    for (std::size_t row = 0; row < trials.size(); ++row) {
      const auto held = trials[row].metrics.find(metric.name);
      if (held == trials[row].metrics.end())
        EXPECT_TRUE(std::isnan(values[row])) << metric.name << " of row " << row;
      else
        EXPECT_EQ(values[row], held->second) << metric.name << " of row " << row;
    }
  }
}

}  // namespace
}  // namespace regatta::results::hdf5
