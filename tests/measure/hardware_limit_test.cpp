#include "measure/hardware_limit.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "regatta/model/catalogue.hpp"
#include "regatta/sweep/make_plan.hpp"
#include "regatta/sweep/reader.hpp"
#include "regatta/sweep/task_of.hpp"

namespace regatta::measure {
namespace {

using sweep::Param;
using ::testing::HasSubstr;

constexpr double peak = 1e11;  // peak of one core
constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

sweep::Parameters usual_parameters() {
  sweep::Parameters result;
  for (const sweep::ParamInfo& row : sweep::parameter_table()) result.set(row.param, row.fallback);
  return result;
}

const model::Model matmul = model::Matmul{"matmul-1000", 1000};
constexpr double matmul_seconds = 2e9 / peak;

std::string judged(double step_seconds, const model::Model& model = matmul,
                   const sweep::Parameters& with = usual_parameters()) {
  return faster_than_hardware(model, with, step_seconds, {.core = peak});
}

TEST(FastestPossible, IsArithmeticOverThePeakOfTheCores) {
  const model::Work work{.forward_flop = 1e9, .input_gradient_flop = 2e9, .weight_gradient_flop = 3e9};
  EXPECT_DOUBLE_EQ(fastest_possible_seconds(work, peak), 0.06);
  EXPECT_EQ(fastest_possible_seconds(work, unknown), 0) << "an unknown peak";
  auto two = usual_parameters();
  two[Param::threads] = std::int64_t{2};
  EXPECT_DOUBLE_EQ(peak_flops_per_second(usual_parameters(), {.core = peak}), peak);
  EXPECT_DOUBLE_EQ(peak_flops_per_second(two, {.core = peak}), 2 * peak);
}

TEST(FasterThanHardware, IsSaidBelowHalfOfTheFastestPossibleTime) {
  EXPECT_EQ(judged(2 * matmul_seconds), "");
  EXPECT_EQ(judged(0.51 * matmul_seconds), "") << "a measured peak may be half of the true one";
  EXPECT_THAT(judged(0.49 * matmul_seconds), HasSubstr("faster than the hardware: a step took 9.80 ms, but 2e+03 MFLOP "
                                                       "need 20.0 ms at this slot's peak of 100 GFLOP/s"));
}

TEST(FasterThanHardware, MoreThreadsMayBeFaster) {
  auto two = usual_parameters();
  two[Param::threads] = std::int64_t{2};
  EXPECT_NE(judged(0.3 * matmul_seconds), "");
  EXPECT_EQ(judged(0.3 * matmul_seconds, matmul, two), "");
}

TEST(FasterThanHardware, TrainingTakesMoreThanInference) {
  const model::Model network = model::find_model("digits-mlp", 1).value();
  auto train = usual_parameters();
  auto infer = usual_parameters();
  infer[Param::work] = std::string("infer");
  const double inference_seconds = fastest_possible_seconds(model::inference_work(network, 32), peak);
  EXPECT_EQ(judged(0.6 * inference_seconds, network, infer), "");
  EXPECT_NE(judged(0.6 * inference_seconds, network, train), "");
}

TEST(FasterThanHardware, TheBatchCounts) {
  const model::Model network = model::find_model("digits-mlp", 1).value();
  auto small = usual_parameters();
  auto large = usual_parameters();
  small[Param::batch] = std::int64_t{8};
  large[Param::batch] = std::int64_t{512};
  const double seconds = fastest_possible_seconds(model::training_work(network, 8), peak);
  EXPECT_EQ(judged(seconds, network, small), "");
  EXPECT_NE(judged(seconds, network, large), "");
}

TEST(FasterThanHardware, ConvolutionsMaySaveMultiplications) {
  const model::Model network = model::find_model("conv1d-small", 140).value();
  const double seconds = fastest_possible_seconds(model::training_work(network, 32), peak);
  EXPECT_EQ(judged(0.26 * seconds, network), "");
  EXPECT_NE(judged(0.24 * seconds, network), "");
}

TEST(FasterThanHardware, JudgesOnlyWhatIsKnown) {
  auto other = usual_parameters();
  other[Param::precision] = std::string("bf16");
  EXPECT_EQ(judged(1e-9, matmul, other), "");
  other = usual_parameters();
  other[Param::device] = std::string("cuda");
  EXPECT_EQ(judged(1e-9, matmul, other), "");
  EXPECT_EQ(judged(0, model::Noop{"noop"}), "");
  EXPECT_EQ(faster_than_hardware(matmul, usual_parameters(), 1e-9, {.core = unknown}), "");
}

TEST(FasterThanHardware, ADeviceHasPeaksOfItsOwnAndOneForEachPrecision) {
  const Peaks peaks{.core = peak, .device = DevicePeaks{.fp32 = 50e12, .tf32 = 400e12, .bf16 = unknown}};
  auto on_device = usual_parameters();
  on_device[Param::device] = std::string("cuda");
  const auto judge = [&](const std::string& precision, double step_seconds) {
    on_device[Param::precision] = precision;
    return faster_than_hardware(matmul, on_device, step_seconds, peaks);
  };
  EXPECT_EQ(judge("fp32", 0.51 * 2e9 / 50e12), "") << "far faster than the cores";
  EXPECT_THAT(judge("fp32", 0.49 * 2e9 / 50e12), HasSubstr("2e+03 MFLOP need 40.0 us at this device's peak of 50 "
                                                           "TFLOP/s in fp32 (some of the work was not done)"));
  EXPECT_EQ(judge("tf32", 0.51 * 2e9 / 400e12), "");
  EXPECT_NE(judge("tf32", 0.49 * 2e9 / 400e12), "");
  EXPECT_EQ(judge("bf16", 1e-12), "") << "its peak is not known";
}

class NeedsCorePeak : public ::testing::Test {
 protected:
  static bool needed(const std::string& axes, const std::string& rest = "") {
    const auto sweep = sweep::parse_sweep(
        R"({"regatta": 1, "name": "n", "task": "benchmark", "axes": {)" + axes + "}" + rest + "}", "n.json");
    const auto plan = sweep::make_plan(sweep);
    return std::ranges::any_of(
        plan.blocks, [&](const auto& block) { return needs_core_peak(sweep::task_of(sweep, plan, block, {})); });
  }
};

const std::string compare_modes = R"(, "compare": {"over": ["mode"], "baseline": {"mode": "eager"}})";

TEST_F(NeedsCorePeak, OnlyForContrastsOfRealWork) {
  EXPECT_TRUE(needed(R"("engine": ["native"], "model": ["mlp-10"], "mode": ["eager", "graph"])", compare_modes));
  EXPECT_FALSE(needed(R"("engine": ["native"], "model": ["mlp-10"], "mode": ["eager", "graph"])"));
  EXPECT_FALSE(needed(R"("engine": ["native"], "model": ["noop"], "mode": ["eager", "graph"])", compare_modes));
}

TEST(NeedsDevicePeaks, WhereAnArmComputesOnADevice) {
  const auto needed = [](const std::string& device) {
    sweep::BlockTask task;
    task.arms.resize(2);
    for (auto& arm : task.arms) {
      arm.model = matmul;
      arm.parameters = usual_parameters();
    }
    task.arms[1].parameters[Param::device] = device;
    EXPECT_TRUE(needs_core_peak(task)) << "the other arm is on cores";
    return needs_device_peaks(task);
  };
  EXPECT_TRUE(needed("cuda"));
  EXPECT_FALSE(needed("cpu"));
}

TEST_F(NeedsCorePeak, NotForPrograms) {
  EXPECT_FALSE(needed(R"("engine": ["command"], "command": ["a", "b"])",
                      R"(, "commands": {"a": {"argv": ["true"]}, "b": {"argv": ["true"]}},
                         "compare": {"over": ["command"], "baseline": {"command": "a"}})"));
}

}  // namespace
}  // namespace regatta::measure
