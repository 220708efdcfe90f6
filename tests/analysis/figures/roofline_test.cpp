#include "regatta/analysis/roofline.hpp"

#include <gtest/gtest.h>

#include "report/full_results.hpp"

namespace regatta::analysis {
namespace {

using sweep::Param;
using testing_support::full_results;

TEST(Roofline, IsTheMultiplyAddsAtTheCalibratedPeak) {
  auto results = full_results();
  auto& trial = results.trials[0];
  trial.parameters[Param::model] = std::string("matmul-1000");
  const auto seconds = Roofline(results).step_seconds(trial);
  ASSERT_TRUE(seconds);
  EXPECT_DOUBLE_EQ(*seconds, 2e9 / 100e9);  // 2 x 1000^3 operations at 100 GFLOP/s
  trial.parameters[Param::threads] = std::int64_t{2};
  EXPECT_DOUBLE_EQ(*Roofline(results).step_seconds(trial), 1e9 / 100e9);
}

TEST(Roofline, IsThatOfTheDeviceWhereTheTrialComputesThere) {
  auto results = full_results();
  auto& trial = results.trials[0];
  trial.parameters[Param::model] = std::string("matmul-1000");
  trial.parameters[Param::device] = std::string("cuda");
  EXPECT_FALSE(Roofline(results).step_seconds(trial)) << "the cores' peak says nothing about it";
  auto& rates = results.devices[0].calibration.device;
  rates = {.uuid = "GPU-1", .fp32_flops_per_second = 50e12, .tf32_flops_per_second = 400e12};
  EXPECT_DOUBLE_EQ(*Roofline(results).step_seconds(trial), 2e9 / 50e12);
  trial.parameters[Param::precision] = std::string("tf32");
  EXPECT_DOUBLE_EQ(*Roofline(results).step_seconds(trial), 2e9 / 400e12);
  trial.parameters[Param::precision] = std::string("bf16");
  EXPECT_FALSE(Roofline(results).step_seconds(trial)) << "not measured";
}

TEST(Roofline, GrowsWithTheBatch) {
  const auto results = full_results();
  const Roofline roofline(results);
  const auto at_1 = roofline.step_seconds(results.trials[0]);
  const auto at_32 = roofline.step_seconds(results.trials[3]);
  ASSERT_TRUE(at_1 && at_32);
  EXPECT_NEAR(*at_32 / *at_1, 32, 1e-6);
}

TEST(Roofline, IsUnknownWithoutCalibrationOnOtherDevicesAndForUnknownModels) {
  auto results = full_results();
  auto trial = results.trials[0];
  trial.parameters[Param::precision] = std::string("bf16");
  EXPECT_FALSE(Roofline(results).step_seconds(trial));
  trial = results.trials[0];
  trial.parameters[Param::model] = std::string("of another version");
  EXPECT_FALSE(Roofline(results).step_seconds(trial));
  trial = results.trials[0];
  trial.device = -1;
  EXPECT_FALSE(Roofline(results).step_seconds(trial));
  results.devices[0].calibration = {};
  EXPECT_FALSE(Roofline(results).step_seconds(results.trials[0]));
}

}  // namespace
}  // namespace regatta::analysis
