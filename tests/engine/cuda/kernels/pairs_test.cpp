// Pairs of operations as one kernel: the bits of both, or neither.
#include "engine/cuda/kernels/pairs.hpp"

#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

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
