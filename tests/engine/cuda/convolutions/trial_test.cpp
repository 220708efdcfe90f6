// The operands that plans are tried on, and the cost of that.
#include "engine/cuda/convolutions/trial.hpp"

#include "engine/cuda/convolutions/convolution_test.hpp"
#include "engine/cuda/device/check.hpp"

namespace regatta::engine::cuda {
namespace {

class ConvolutionTrialTest : public ConvolutionTest {
 protected:
  [[nodiscard]] PlanWorkshop workshop() const { return {library, nullptr, settings, target, memory}; }

  const CudnnLibrary library = *open_cudnn().library;
  const ConvolutionShape shape = image_of(plain_image());
  std::vector<std::pair<void*, std::int64_t>> taken;
  DeviceMemorySource memory{[this](std::int64_t bytes) {
                              void* const piece = allocate(bytes);
                              taken.emplace_back(piece, bytes);
                              return piece;
                            },
                            [](void* piece) { cudaFree(piece); }};
  ConvolutionSettings settings;
};

TEST_F(ConvolutionTrialTest, OperandsAreOrdinaryNumbers) {
  const PlanWorkshop tools = workshop();
  const ConvolutionTrial trial(tools, shape, ConvolutionKind::forward);
  EXPECT_EQ(taken.size(), 3U);
  for (const auto& [piece, bytes] : taken) {
    for (const float value : read(piece, static_cast<std::size_t>(bytes) / sizeof(float)))
      ASSERT_NEAR(value, 0.0462, 1e-4);
  }
}

TEST_F(ConvolutionTrialTest, TheTimeIsThatOfOneRunHoweverManyThereAre) {
  settings.rival.scratch_bytes = [](ConvolutionKind, const ConvolutionShape&, int) { return std::int64_t{0}; };
  settings.rival.issue = [](const Target& on, ConvolutionKind, const ConvolutionShape&, int, const Memory& operands) {
    require(cudaMemsetAsync(operands[2], 0, sizeof(float), on.stream), "cudaMemsetAsync");
  };
  const PlanWorkshop tools = workshop();
  ConvolutionTrial trial(tools, shape, ConvolutionKind::forward);
  const double once = trial.seconds_of_way(0, 1).value();
  EXPECT_GT(once, 0);
  EXPECT_NEAR(trial.seconds_of_way(0, 10).value(), once, 0.01 * once) << "on the emulated clock";
}

TEST_F(ConvolutionTrialTest, ScratchMemoryIsTakenAgainOnlyForMoreThanThereIs) {
  settings.rival.scratch_bytes = [](ConvolutionKind, const ConvolutionShape&, int way) { return 1024 * way; };
  settings.rival.issue = [](const Target& on, ConvolutionKind, const ConvolutionShape&, int, const Memory& operands) {
    require(cudaMemsetAsync(operands[2], 0, sizeof(float), on.stream), "cudaMemsetAsync");
  };
  const PlanWorkshop tools = workshop();
  ConvolutionTrial trial(tools, shape, ConvolutionKind::forward);
  const std::size_t operands = taken.size();
  for (const int way : {2, 1, 2, 3, 3}) EXPECT_TRUE(trial.seconds_of_way(way, 1));
  EXPECT_EQ(taken.size(), operands + 2);
}

TEST_F(ConvolutionTrialTest, OperandsThatCannotBeFilledAreGivenBack) {
  const std::int64_t before = control.counters().live_bytes;
  const PlanWorkshop tools = workshop();
  for (const std::int32_t after : {0, 1, 2}) {
    control.fail_next("cudaMemsetAsync", cudaErrorInvalidValue, after);
    EXPECT_THROW(ConvolutionTrial(tools, shape, ConvolutionKind::forward), DeviceError);
    EXPECT_EQ(control.counters().live_bytes, before) << after;
  }
  cudaGetLastError();
}

}  // namespace
}  // namespace regatta::engine::cuda
