// Small products as tiled products, in four orders of threads: against the reference, and bit by bit as the operations
// that are fused with them.
#include "engine/cuda/tiled/matmul.hpp"

#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

/// Operands of `op`, an uninitialised result among them, and its scratch memory.
Memories operands_of(Random& random, const MatMul& op) {
  Memories operands = random_operands(random, op);
  std::fill(operands[2].begin(), operands[2].end(), std::nanf(""));
  operands[kScratch].assign(static_cast<std::size_t>(tiled_scratch_bytes(op)) / sizeof(float), std::nanf(""));
  return operands;
}

Work work_of_tiled(const MatMul& op) {
  return [op](const Target& target, const Memory& memory) { issue_tiled(target, op, memory); };
}

std::string text_of(const MatMul& op) {
  return text({op.m, op.n, op.k, op.transpose_a, op.transpose_b, op.add_bias, static_cast<int>(op.activation),
               static_cast<int>(op.derivative), op.sum_columns});
}

void compare(Random& random, const MatMul& op) {
  ASSERT_TRUE(is_tiled(op)) << text_of(op);
  const Memories start = operands_of(random, op);
  Memories expected = by_the_reference(op, start);
  Memories found = run_all_ways(work_of_tiled(op), start, text_of(op));
  found[kScratch].clear();
  expected[kScratch].clear();
  expect_near(found, expected, sum_tolerance(op.k), text_of(op));
}

struct Transposed {
  bool a, b;
};
constexpr Transposed kTransposed[] = {{false, false}, {true, false}, {false, true}};

TEST(TiledMatMul, RandomProductsAgreeWithTheReferenceWithWhateverIsFused) {
  Random random(test_seed());
  for (const Transposed transposed : kTransposed) {
    for (int i = 0; i < 6; ++i) {
      MatMul op{.m = uniform(random, 1, 90), .n = uniform(random, 1, 70), .k = uniform(random, 1, 150)};
      op.transpose_a = transposed.a;
      op.transpose_b = transposed.b;
      op.sum_columns = transposed.a && i % 2 == 0;
      op.add_bias = uniform(random, 0, 1) == 1;
      op.activation = kActivations[static_cast<std::size_t>(uniform(random, 0, 3))];
      op.derivative = kActivations[static_cast<std::size_t>(uniform(random, 0, 3))];
      compare(random, op);
    }
  }
}

TEST(TiledMatMul, SizesByFourAreReadFourAtOnce) {
  Random random(test_seed());
  for (const Transposed transposed : kTransposed) {
    MatMul op{.m = 36, .n = 40, .k = 68};
    op.transpose_a = transposed.a;
    op.transpose_b = transposed.b;
    compare(random, op);
    op.m = 8;
    compare(random, op);
  }
}

TEST(TiledMatMul, LongSumsAreCutAndAddedUpInOrder) {
  Random random(test_seed());
  for (const std::int64_t m : {20, 40}) {
    for (const Transposed transposed : kTransposed) {
      MatMul op{.m = m, .n = 36, .k = 1100};
      op.transpose_a = transposed.a;
      op.transpose_b = transposed.b;
      EXPECT_GT(tiled_scratch_bytes(op), 0);
      compare(random, op);
    }
  }
}

TEST(TiledMatMul, WhatIsFusedHasTheBitsOfThePartsOneAfterTheOtherInOneLaunch) {
  Random random(test_seed());
  for (const std::int64_t m : {30, 70}) {
    const MatMul op{.m = m,
                    .n = 68,
                    .k = 33,
                    .transpose_a = true,
                    .add_bias = true,
                    .activation = Activation::tanh,
                    .derivative = Activation::sigmoid,
                    .sum_columns = true};
    const MatMul bare{.m = m, .n = 68, .k = 33, .transpose_a = true};
    const Memories operands = operands_of(random, op);
    const Memories fused = run_all_ways(work_of_tiled(op), operands, text_of(op));
    const Work parts = [&](const Target& target, const Memory& memory) {
      issue_tiled(target, bare, memory);
      auto* const c = static_cast<float*>(memory[2]);
      finish_product(target, c, static_cast<const float*>(memory[3]), op.m, op.n, Activation::none);
      finish_product(target, c, nullptr, op.m, op.n, op.activation);
      multiply_derivative(target, c, static_cast<const float*>(memory[4]), op.m * op.n, op.derivative);
      sum_columns(target, static_cast<const float*>(memory[1]), static_cast<float*>(memory[5]), op.k, op.n);
    };
    const Memories apart = run_one_way(kWays[0], parts, operands);
    EXPECT_TRUE(same_bits(fused[2], apart[2]));
    EXPECT_TRUE(same_bits(fused[5], apart[5]));
    EXPECT_EQ(launches_of(work_of_tiled(op), operands), 1);
  }
}

/// The gradients of a dense layer (batch, in) -> (batch, out). Operands 0: x, 1: dy, 2: of the kernel, 3: the kernel,
/// 4: saved, 5: of the bias, kGradient: of x.
constexpr std::size_t kGradient = 6;
struct Gradients {
  MatMul kernel, input;

  Gradients(std::int64_t batch, std::int64_t in, std::int64_t out)
      : kernel{.m = in, .n = out, .k = batch, .transpose_a = true, .sum_columns = true},
        input{.m = batch, .n = in, .k = out, .transpose_b = true, .derivative = Activation::relu} {}

  static Memory of_input(const Memory& m) { return {m[1], m[3], m[kGradient], nullptr, m[4]}; }
  [[nodiscard]] Memories operands(Random& random) const {
    const std::int64_t batch = input.m, in = input.n, out = input.k;
    Memories all{uniform_floats(random, batch * in), uniform_floats(random, batch * out),
                 uniform_floats(random, in * out),   uniform_floats(random, in * out),
                 uniform_floats(random, batch * in), uniform_floats(random, out)};
    all[kGradient] = uniform_floats(random, batch * in);
    return all;
  }
};

TEST(TiledMatMul, GradientsOfALayerInOneLaunchHaveTheBitsOfBoth) {
  Random random(test_seed());
  for (const auto& [batch, in, out] :
       {std::array<std::int64_t, 3>{32, 128, 64}, {32, 64, 1}, {40, 20, 36}, {3, 5, 7}, {70, 33, 10}}) {
    const Gradients of(batch, in, out);
    const Memories operands = of.operands(random);
    const Work together = [&](const Target& target, const Memory& memory) {
      EXPECT_TRUE(issue_pair(target, of.kernel, memory, of.input, Gradients::of_input(memory)));
    };
    const Work apart = [&](const Target& target, const Memory& memory) {
      issue_tiled(target, of.kernel, memory);
      issue_tiled(target, of.input, Gradients::of_input(memory));
    };
    const Memories expected = run_one_way(kWays[0], apart, operands);
    const Memories found = run_all_ways(together, operands, text({batch, in, out}));
    for (std::size_t i = 0; i <= kGradient; ++i) EXPECT_TRUE(same_bits(found[i], expected[i])) << i;
    EXPECT_EQ(launches_of(together, operands), 1);
  }
}

TEST(TiledMatMul, GradientsThatMeetOrAreCutOrAreNoneAreLeftToTwoLaunches) {
  std::vector<float> memory(4000);
  float* const at = memory.data();
  const Gradients of(4, 8, 8);
  const Target target;  // nothing is issued
  const Memory kernel{at, at + 32, at + 64, at + 128, at + 192, at + 224};
  const auto input = [&](float* dx, float* dy, float* w) { return Memory{dy, w, dx, nullptr, at + 192}; };
  float* const dx = at + 300;
  EXPECT_FALSE(issue_pair(target, of.kernel, kernel, of.input, input(at + 31, at + 32, at + 128))) << "dx over x";
  EXPECT_FALSE(issue_pair(target, of.kernel, kernel, of.input, input(at + 40, at + 32, at + 128))) << "dx over dy";
  EXPECT_FALSE(issue_pair(target, of.kernel, kernel, of.input, input(at + 120, at + 32, at + 128))) << "over dkernel";
  EXPECT_FALSE(issue_pair(target, of.kernel, kernel, of.input, input(at + 200, at + 32, at + 128))) << "over the sums";
  EXPECT_FALSE(issue_pair(target, of.kernel, kernel, of.input, input(dx, at + 32, at + 64))) << "reads the gradient";
  EXPECT_FALSE(issue_pair(target, of.kernel, kernel, of.input, input(dx, at + 224, at + 128))) << "reads the sums";
  EXPECT_FALSE(issue_pair(target, of.input, kernel, of.kernel, input(dx, at + 32, at + 128))) << "the other way round";
  const Gradients cut(600, 4, 4);
  const Memory apart{at, at, at + 2400, at + 2420, at + 2440, at + 2460};
  EXPECT_FALSE(issue_pair(target, cut.kernel, apart, cut.input, {at, at + 2420, at + 3000, nullptr, at})) << "cut";
}

TEST(TiledMatMul, LargeAndDoublyTransposedProductsAreLeftToTheLibrary) {
  EXPECT_TRUE(is_tiled({.m = 32, .n = 128, .k = 784}));
  EXPECT_FALSE(is_tiled({.m = 32, .n = 64, .k = 12800}));
  EXPECT_FALSE(is_tiled({.m = 100'000, .n = 2, .k = 2}));
  EXPECT_FALSE(is_tiled({.m = 8, .n = 8, .k = 8, .transpose_a = true, .transpose_b = true}));
  EXPECT_FALSE(is_tiled({.m = 8, .n = 8, .k = 0}));
}

}  // namespace
}  // namespace regatta::engine::cuda
