// Pooling against the reference.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

std::string text_of(const PoolShape& s) {
  return text({s.batch, s.rows, s.columns, s.channels, s.window_rows, s.window_columns});
}

PoolShape random_pool(Random& random, int i) {
  PoolShape s{};
  s.batch = uniform(random, 1, 3);
  s.window_rows = uniform(random, 1, 3);
  s.window_columns = uniform(random, 1, 3);
  s.rows = uniform(random, s.window_rows, 9);
  s.columns = uniform(random, s.window_columns, 9);
  s.channels = i % 2 == 0 ? 4 * uniform(random, 1, 9) : uniform(random, 1, 40);
  s.out_rows = s.rows / s.window_rows;
  s.out_columns = s.columns / s.window_columns;
  return s;
}

/// Operand 3 of a max_pool_gradient is what max_pool makes of operand 1; some elements are equally large.
void set_largest(const PoolShape& s, Memories& memories) {
  for (float& x : memories[1]) x = std::round(x * 3);
  Memories pooled{memories[1], memories[3]};
  memories[3] = by_the_reference(MaxPool{s}, pooled)[1];
}

TEST(CudaPools, AgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 40; ++i) {
    const PoolShape s = random_pool(random, i);
    const auto derivative = static_cast<Activation>(i % 4);
    compare_kernels(random, MaxPool{s}, 0, text_of(s));
    compare_kernels(random, MaxPoolGradient{s, derivative}, 2e-6, text_of(s),
                    [&](Memories& memories) { set_largest(s, memories); });
    compare_kernels(random, AveragePool{s}, 2e-6, text_of(s));
    compare_kernels(random, AveragePoolGradient{s, derivative}, 2e-6, text_of(s));
  }
}

TEST(CudaPools, AFusedDerivativeHasTheBitsOfBothOneAfterTheOther) {
  Random random(test_seed());
  for (int i = 0; i < 12; ++i) {
    const PoolShape s = random_pool(random, i);
    const Activation derivative = kActivations.at(static_cast<std::size_t>(i) % 4);
    const OpSpec largest = MaxPoolGradient{s}, largest_fused = MaxPoolGradient{s, derivative};
    const OpSpec mean = AveragePoolGradient{s}, mean_fused = AveragePoolGradient{s, derivative};
    const OpSpec after = ActivateGradient{derivative, s.input_size()};
    Memories operands = random_operands(random, MaxPoolGradient{s, Activation::relu});
    set_largest(s, operands);
    for (const auto& [plain, fused] : {std::pair(&largest, &largest_fused), std::pair(&mean, &mean_fused)}) {
      const Work apart = [&, plain = plain](const Target& target, const Memory& memory) {
        work_of (*plain)(target, memory);
        work_of(after)(target, {memory[2], memory[4]});
      };
      EXPECT_TRUE(
          same_bits(run_all_ways(work_of(*fused), operands, "fused")[2], run_all_ways(apart, operands, "apart")[2]))
          << text_of(s);
    }
  }
}

TEST(CudaPools, TheLargestOfAWindowWithNotANumberIsNotANumberAndItsGradientGoesThere) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const PoolShape s{.batch = 1,
                    .rows = 1,
                    .columns = 7,
                    .channels = 1,
                    .window_rows = 1,
                    .window_columns = 3,
                    .out_rows = 1,
                    .out_columns = 2};
  const std::vector<float> x{1, kNan, 9, -kInfinity, kInfinity, kInfinity, 5};
  const OpSpec pool = MaxPool{s}, gradient = MaxPoolGradient{s};
  const std::vector<float> y = run_all_ways(work_of(pool), {x, {0, 0}}, "")[1];
  EXPECT_TRUE(std::isnan(y[0]));
  EXPECT_EQ(y[1], kInfinity);
  EXPECT_EQ(run_all_ways(work_of(gradient), {std::vector<float>{3, 4}, x, std::vector<float>(7), y}, "")[2],
            (std::vector<float>{0, 3, 0, 0, 4, 0, 0}));
}

}  // namespace
}  // namespace regatta::engine::cuda
