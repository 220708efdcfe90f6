#include "bench/allreduce.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

using testing::HasSubstr;

TEST(AllreduceBench, BusBandwidthIsThatOfNcclTests) {
  EXPECT_DOUBLE_EQ(bus_bandwidth(1000, 2, 1), 1000);
  EXPECT_DOUBLE_EQ(bus_bandwidth(1000, 4, 0.5), 3000);
  EXPECT_DOUBLE_EQ(bus_bandwidth(1000, 1, 1), 0);
}

TEST(AllreduceBench, MeasuresEachSizeAndChecksTheSums) {
  const AllreduceFound found = measure_allreduce(2, 1);
  ASSERT_EQ(found.rows.size(), 8U);
  EXPECT_EQ(found.rows.front().bytes, 4096U);
  for (const AllreduceRow& row : found.rows) EXPECT_GT(row.seconds.at(0), 0);
}

TEST(AllreduceBench, RefusesRanksThatNoTreeHas) {
  EXPECT_THROW(measure_allreduce(3, 1), InputError);
  EXPECT_THROW(measure_allreduce(128, 1), InputError);
}

TEST(AllreduceBench, TellsMedianRangeAndRates) {
  const AllreduceFound found{2, {{1000000, {0.002, 0.001, 0.004}}}};
  EXPECT_THAT(to_text(found), HasSubstr("1.00 ms to 4.00 ms"));
  EXPECT_THAT(to_text(found), HasSubstr("0.50 GB/s"));
  const auto row = nlohmann::json::parse(to_json(found))["allreduce"][0];
  EXPECT_EQ(row["seconds"], 0.002);
  EXPECT_EQ(row["high"], 0.004);
  EXPECT_EQ(row["busbw"], 5e8);
}

}  // namespace
}  // namespace regatta::launcher
