// Operations as one kernel: the bits of those one after the other.
#include "engine/cuda/kernels/fused.hpp"

#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

Work work_of_outer(const MatMul& op) {
  return [op](const Target& target, const Memory& memory) { multiply_outer(target, op, memory); };
}

constexpr std::int64_t kColumns[] = {1, 3, 4, 31, 33, 64, 132, 257};

TEST(CudaOuter, ProductsOfOneTermAgreeWithTheReferenceWithWhateverIsFused) {
  Random random(test_seed());
  for (const std::int64_t n : kColumns) {
    for (const std::int64_t m : {1, 2, 31, 65}) {
      MatMul op{.m = m, .n = n, .k = 1};
      op.transpose_a = uniform(random, 0, 1) == 1;
      op.transpose_b = uniform(random, 0, 1) == 1;
      op.add_bias = uniform(random, 0, 1) == 1;
      op.activation = kActivations[static_cast<std::size_t>(uniform(random, 0, 3))];
      op.derivative = kActivations[static_cast<std::size_t>(uniform(random, 0, 3))];
      const Memories operands = random_operands(random, op);
      const std::string what =
          text({m, n, op.add_bias, static_cast<int>(op.activation), static_cast<int>(op.derivative)});
      expect_near(run_all_ways(work_of_outer(op), operands, what), by_the_reference(op, operands), 2e-6, what);
    }
  }
}

TEST(CudaOuter, WhatIsFusedHasTheBitsOfThePartsOneAfterTheOther) {
  Random random(test_seed());
  for (const std::int64_t n : kColumns) {
    const MatMul op{
        .m = 33, .n = n, .k = 1, .add_bias = true, .activation = Activation::tanh, .derivative = Activation::sigmoid};
    const Memories operands = random_operands(random, op);
    const Memories fused = run_one_way(kWays[0], work_of_outer(op), operands);
    const Work parts = [&](const Target& target, const Memory& memory) {
      multiply_outer(target, {.m = op.m, .n = n, .k = 1}, memory);
      finish_product(target, static_cast<float*>(memory[2]), static_cast<const float*>(memory[3]), op.m, n,
                     Activation::none);
      finish_product(target, static_cast<float*>(memory[2]), nullptr, op.m, n, op.activation);
      multiply_derivative(target, static_cast<float*>(memory[2]), static_cast<const float*>(memory[4]), op.m * n,
                          op.derivative);
    };
    EXPECT_TRUE(same_bits(fused[2], run_one_way(kWays[0], parts, operands)[2])) << n;
    EXPECT_EQ(launches_of(work_of_outer(op), operands), 1);
  }
}

TEST(CudaOuter, MoreRowsThanAGridHasAreAllDone) {
  Random random(test_seed());
  const MatMul op{.m = 70'000, .n = 5, .k = 1};
  const Memories operands = random_operands(random, op);
  expect_near(run_one_way(kWays[0], work_of_outer(op), operands), by_the_reference(op, operands), 0, "many rows");
}

/// Operands 0: dy, 1: mask, 2: what is dropped, 3: dx.
Memory pool_memory(const Memory& memory) { return {memory[2], memory[3]}; }

TEST(CudaPairs, DropoutAndPoolGradientsHaveTheBitsOfBoth) {
  Random random(test_seed());
  for (const std::int64_t channels : {1, 3, 4, 33, 64, 130}) {
    for (const std::int64_t length : {1, 2, 35}) {
      const GlobalAveragePoolGradient pool{3, length, channels};
      const DropoutGradient dropout{3 * channels};
      const Memories operands{uniform_floats(random, dropout.count), uniform_floats(random, dropout.count),
                              uniform_floats(random, dropout.count), uniform_floats(random, dropout.count * length)};
      const Work together = [&](const Target& target, const Memory& memory) {
        EXPECT_TRUE(issue_pair(target, dropout, memory, pool, pool_memory(memory)));
      };
      const Work apart = [&](const Target& target, const Memory& memory) {
        issue_table()[kOpIndex<DropoutGradient>](target, &dropout, memory);
        issue_table()[kOpIndex<GlobalAveragePoolGradient>](target, &pool, pool_memory(memory));
      };
      const std::string what = text({channels, length});
      const Memories expected = run_one_way(kWays[0], apart, operands);
      const Memories found = run_all_ways(together, operands, what);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(same_bits(found[i], expected[i])) << what << "operand " << i;
      EXPECT_EQ(launches_of(together, operands), 1);
    }
  }
}

TEST(CudaPairs, PoolsAndTheirDropoutHaveTheBitsOfBoth) {
  Random random(test_seed());
  for (const std::int64_t channels : {1, 3, 4, 33, 64, 130}) {
    for (const std::int64_t length : {1, 2, 35}) {
      const GlobalAveragePool pool{3, length, channels};
      const Dropout dropout{.batch = 3, .units = channels, .rate = 0.5, .key = 7, .first_sample = 5};
      const std::int64_t count = 3 * channels;
      const std::vector<float> state(sizeof(StepState) / sizeof(float), 0.0F);  // the first step, its first sample
      const Memories operands{uniform_floats(random, count * length), uniform_floats(random, count),
                              uniform_floats(random, count), uniform_floats(random, count), state};
      const auto dropped = [](const Memory& memory) { return Memory{memory[1], memory[2], memory[3], memory[4]}; };
      const Work together = [&](const Target& target, const Memory& memory) {
        EXPECT_TRUE(issue_pair(target, pool, memory, dropout, dropped(memory)));
      };
      const Work apart = [&](const Target& target, const Memory& memory) {
        issue_table()[kOpIndex<GlobalAveragePool>](target, &pool, memory);
        issue_table()[kOpIndex<Dropout>](target, &dropout, dropped(memory));
      };
      const std::string what = text({channels, length});
      const Memories expected = run_one_way(kWays[0], apart, operands);
      const Memories found = run_all_ways(together, operands, what);
      for (std::size_t i = 0; i < 4; ++i) EXPECT_TRUE(same_bits(found[i], expected[i])) << what << "operand " << i;
      EXPECT_EQ(launches_of(together, operands), 1);
    }
  }
}

TEST(CudaPairs, APoolAndADropoutThatOverlapOrDoNotFollowAreLeftToTwoKernels) {
  std::vector<float> memory(200);
  float* const at = memory.data();
  const GlobalAveragePool pool{2, 3, 4};
  const Dropout dropout{.batch = 2, .units = 4, .rate = 0.5, .key = 7, .first_sample = 0};
  const Target target;  // nothing is issued
  const Memory means{at, at + 32};
  float* const state = at + 100;
  EXPECT_FALSE(issue_pair(target, pool, means, dropout, {at + 64, at + 48, at + 56, state})) << "reads something else";
  EXPECT_FALSE(issue_pair(target, pool, means, dropout, {at + 32, at + 16, at + 56, state})) << "y over x";
  EXPECT_FALSE(issue_pair(target, pool, means, dropout, {at + 32, at + 48, at + 20, state})) << "the mask over x";
  EXPECT_FALSE(issue_pair(target, pool, means, dropout, {at + 32, at + 32, at + 56, state})) << "in place";
  EXPECT_FALSE(issue_pair(target, pool, means, dropout, {at + 32, at + 49, at + 56, state})) << "not aligned";
  EXPECT_FALSE(issue_pair(target, {2, 3, 8}, means, dropout, {at + 32, at + 48, at + 56, state})) << "another size";
}

TEST(CudaPairs, WhatOverlapsOrDoesNotFollowIsLeftToTwoKernels) {
  std::vector<float> memory(100);
  float* const at = memory.data();
  const GlobalAveragePoolGradient pool{2, 3, 4};
  const DropoutGradient dropout{8};
  const Target target;  // nothing is issued
  EXPECT_FALSE(issue_pair(target, dropout, {at, at + 8, at + 16}, pool, {at + 24, at + 40})) << "reads something else";
  EXPECT_FALSE(issue_pair(target, dropout, {at, at + 8, at + 16}, pool, {at + 16, at + 15})) << "dx over the mask";
  EXPECT_FALSE(issue_pair(target, dropout, {at + 47, at + 8, at + 16}, pool, {at + 16, at + 24})) << "dx over dy";
  EXPECT_FALSE(issue_pair(target, dropout, {at, at + 8, at}, pool, {at, at + 24})) << "in place";
  EXPECT_FALSE(issue_pair(target, {4}, {at, at + 8, at + 16}, pool, {at + 16, at + 24})) << "another size";
}

}  // namespace
}  // namespace regatta::engine::cuda
