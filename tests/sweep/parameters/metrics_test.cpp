#include "regatta/sweep/metrics.hpp"

#include <gtest/gtest.h>

#include <set>

namespace regatta::sweep {
namespace {

TEST(Metrics, StandInTheTableInTheOrderOfTheirNumbers) {
  for (std::size_t i = 0; i < metric_table.size(); ++i) {
    EXPECT_EQ(metric_table.at(i).metric, Metric{static_cast<std::uint8_t>(i)}) << "messages carry the number";
    EXPECT_EQ(&info(metric_table.at(i).metric), &metric_table.at(i));
  }
}

TEST(Metrics, AreToldApartAndSayWhatTheyAre) {
  std::set<std::string_view> names;
  for (const MetricInfo& row : metric_table) {
    EXPECT_TRUE(names.insert(row.name).second) << row.name;
    EXPECT_FALSE(row.unit.empty() || row.noun.empty() || row.description.empty()) << row.name;
    EXPECT_GT(row.margin, 0) << row.name;
    EXPECT_NE(row.less, row.more) << row.name;
  }
}

}  // namespace
}  // namespace regatta::sweep
