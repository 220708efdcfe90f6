// The steps before an update: the mean over steps, the norm of all gradients. Updates themselves: kernels_test.cpp.
#include "engine/kernel_comparison.hpp"

namespace regatta::engine {
namespace {

StepState state_in(const std::vector<float>& memory) {
  StepState state;
  std::memcpy(static_cast<void*>(&state), memory.data(), sizeof state);
  return state;
}

Memories clipped(Memories memories, double clip_norm, const cpu::Settings& settings = {}) {
  memories[1].assign(sizeof(StepState) / sizeof(float), 0);
  run(*cpu::make_backend(settings), ClipGradients{std::ssize(memories[0]), clip_norm}, memories);
  return memories;
}

float scale_of(const std::vector<float>& gradients, double clip_norm, const cpu::Settings& settings = {}) {
  Memories memories;
  memories[0] = gradients;
  return state_in(clipped(memories, clip_norm, settings)[1]).gradient_scale;
}

TEST(Updates, GradientsBecomeTheirMeanAsTheReferenceSays) {
  Random random(test_seed());
  for (int i = 0; i < 30; ++i) {
    const std::int64_t count = uniform(random, 1, 5000);
    for (const std::int64_t mean_of : {0, 2, 3, 7}) {
      compare(random, AccumulateGradients{count, mean_of}, 1e-6, text({count, mean_of}));
    }
  }
}

TEST(Updates, TheScaleOfClippingIsThatOfTheNormOverAllGradients) {
  for (const KernelSet kernels : {KernelSet::reference, KernelSet::cpu}) {
    const cpu::Settings settings{.kernels = kernels};
    EXPECT_FLOAT_EQ(scale_of({3, 0, 4}, 1, settings), static_cast<float>(1 / (5 + 1e-6)));
    EXPECT_FLOAT_EQ(scale_of({3e-6F, 0, 4e-6F}, 3e-6, settings), static_cast<float>(3e-6 / (5e-6 + 1e-6)));
    EXPECT_EQ(scale_of({3, 0, 4}, 6, settings), 1.0F);
    EXPECT_EQ(scale_of({0, 0, 0}, 6, settings), 1.0F);
    EXPECT_FLOAT_EQ(scale_of({3e30F, 0, 4e30F}, 1, settings), 2e-31F) << "squares do not fit fp32";
    EXPECT_FLOAT_EQ(scale_of(std::vector<float>(16, 1e30F), 1, settings), 2.5e-31F);
    EXPECT_EQ(scale_of({std::numeric_limits<float>::infinity(), 1}, 1, settings), 0.0F);
    EXPECT_TRUE(std::isnan(scale_of({std::numeric_limits<float>::quiet_NaN(), 1}, 1, settings)));
  }
}

TEST(Updates, TheNormHasTheSameBitsOnAnyNumberOfThreadsAndInstructionSet) {
  Random random(test_seed());
  const std::vector<float> gradients = uniform_floats(random, 1'000'003);
  const float expected = scale_of(gradients, 0.5);
  double squares = 0;
  for (const double gradient : gradients) squares += gradient * gradient;
  EXPECT_NEAR(expected, 0.5 / std::sqrt(squares), 1e-9);
  for (const Isa isa : supported_isas()) {
    for (const int threads : {1, 2, 3}) {
      EXPECT_EQ(scale_of(gradients, 0.5, {.isa = isa, .threads = threads}), expected) << isa_name(isa) << threads;
    }
  }
}

}  // namespace
}  // namespace regatta::engine
