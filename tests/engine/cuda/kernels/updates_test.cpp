// The operations after the gradients, against the reference.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

void set_state(std::vector<float>& memory) {
  const StepState state{3, 0.729, 0.997, 3.69004F, 333.5F, 0.1F, 0.25F};
  std::memcpy(memory.data(), &state, sizeof state);
}

TEST(CudaUpdates, AgreeWithTheReference) {
  Random random(test_seed());
  int i = 0;
  for (const std::int64_t count : kSizes) {
    for (const bool clips : {false, true}) {
      const float weight_decay = ++i % 3 == 0 ? 0.3F : 0.0F;
      compare_kernels(random, SgdUpdate{count, i % 4 < 2 ? 0.0F : 0.9F, weight_decay, clips}, 2e-6, text({count}),
                      [](Memories& memories) { set_state(memories[3]); });
      compare_kernels(random, AdamUpdate{count, 0.9, 0.999, i % 7 == 0 ? 0.0F : 1e-7F, weight_decay, clips}, 4e-6,
                      text({count}), [](Memories& memories) {
                        for (float& v : memories[3]) v = std::abs(v);
                        set_state(memories[4]);
                      });
    }
  }
}

TEST(CudaUpdates, TheStepAndTheCorrectionsOfAdamHaveTheBitsOfTheReference) {
  Random random(test_seed());
  for (const double beta : {0.0, 0.9, 1.0}) {
    compare_kernels(random, AdvanceStep{beta, 0.999}, 0, "", [](Memories& memories) { set_state(memories[0]); });
  }
}

TEST(CudaUpdates, AdamSendsSpecialValuesWhereTheReferenceDoes) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> m{0, 0.5F, -0.5F, 0.5F, kInfinity, -kInfinity, kNan, 0.1F, 1e-30F, 0};
  const std::vector<float> v{0, 0, 1e-40F, kInfinity, 1, kInfinity, 1, kNan, 1e-38F, 1e30F};
  for (const float epsilon : {1e-7F, 0.0F}) {
    Memories operands{std::vector<float>(m.size(), 0.25F), std::vector<float>(m.size()), m, v};
    operands[4].resize(sizeof(StepState) / sizeof(float));
    set_state(operands[4]);
    compare_on(AdamUpdate{std::ssize(m), 0.9, 0.999, epsilon}, operands, 4e-6, "special values");
  }
}

TEST(CudaUpdates, GradientsBecomeTheirMeanAsTheReferenceSays) {
  Random random(test_seed());
  for (const std::int64_t count : kSizes) {
    for (const std::int64_t mean_of : {0, 2, 3}) {
      compare_kernels(random, AccumulateGradients{count, mean_of}, 1e-6, text({count, mean_of}));
    }
  }
}

float scale_of(const std::vector<float>& gradients, double clip_norm) {
  const OpSpec spec = ClipGradients{std::ssize(gradients), clip_norm};
  std::vector<float> memory(sizeof(StepState) / sizeof(float));
  memory = run_all_ways(work_of(spec), {gradients, memory}, "clip")[1];
  StepState state;
  std::memcpy(static_cast<void*>(&state), memory.data(), sizeof state);
  return state.gradient_scale;
}

TEST(CudaUpdates, TheScaleOfClippingIsThatOfTheNormOverAllGradients) {
  EXPECT_FLOAT_EQ(scale_of({3, 0, 4}, 1), static_cast<float>(1 / (5 + 1e-6)));
  EXPECT_FLOAT_EQ(scale_of({3e-6F, 0, 4e-6F}, 3e-6), static_cast<float>(3e-6 / (5e-6 + 1e-6)));
  EXPECT_EQ(scale_of({3, 0, 4}, 6), 1.0F);
  EXPECT_EQ(scale_of({0, 0, 0}, 6), 1.0F);
  EXPECT_FLOAT_EQ(scale_of({3e30F, 0, 4e30F}, 1), 2e-31F) << "squares do not fit fp32";
  EXPECT_EQ(scale_of({std::numeric_limits<float>::infinity(), 1}, 1), 0.0F);
  EXPECT_TRUE(std::isnan(scale_of({std::numeric_limits<float>::quiet_NaN(), 1}, 1)));
}

TEST(CudaUpdates, TheNormOfManyGradientsIsTakenInOneLaunch) {
  Random random(test_seed());
  const std::vector<float> gradients = uniform_floats(random, 20'003);
  double squares = 0;
  for (const double gradient : gradients) squares += gradient * gradient;
  EXPECT_NEAR(scale_of(gradients, 0.5), 0.5 / std::sqrt(squares), 1e-9);
  const OpSpec spec = ClipGradients{std::ssize(gradients), 0.5};
  EXPECT_EQ(launches_of(work_of(spec), {gradients, std::vector<float>(sizeof(StepState) / sizeof(float))}), 1);
}

TEST(CudaUpdates, TheNormIsThatOfAllBlocksAlsoWhereThereAreMoreThanThreadsOfOne) {
  Random random(test_seed());
  const std::vector<float> gradients = uniform_floats(random, 260 * 8 * 256);
  double squares = 0;
  for (const double gradient : gradients) squares += gradient * gradient;
  EXPECT_NEAR(scale_of(gradients, 0.5), 0.5 / std::sqrt(squares), 1e-9);
}

}  // namespace
}  // namespace regatta::engine::cuda
