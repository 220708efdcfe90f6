// Bias, activations and what else treats each element by itself, against the reference.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

TEST(CudaElementwise, OperationsOnElementsAgreeWithTheReference) {
  Random random(test_seed());
  for (const std::int64_t count : kSizes) {
    for (const Activation activation : kActivations) {
      compare_kernels(random, Activate{activation, count}, 2e-6, text({count, static_cast<int>(activation)}));
      compare_kernels(random, ActivateGradient{activation, count}, 2e-6, text({count, static_cast<int>(activation)}));
    }
    compare_kernels(random, Add{count}, 0, text({count}));
    compare_kernels(random, Fill{count, 1.5F}, 0, text({count}));
    compare_kernels(random, DropoutGradient{count}, 0, text({count}));
  }
  compare_kernels(random, Square{}, 0, "");
  compare_kernels(random, SquareGradient{}, 0, "");
}

TEST(CudaElementwise, MoreElementsThanAGridHasThreadsAreAllDone) {
  Random random(test_seed());
  constexpr std::int64_t kOfAGrid = 4 * 8 * 256;  // on the one multiprocessor that these tests have
  compare_kernels(random, Activate{Activation::relu, 9 * kOfAGrid + 5}, 0, "long");
  compare_kernels(random, AddBias{3 * kOfAGrid, 7}, 0, "many rows");
}

TEST(CudaElementwise, BiasIsAddedToEachRow) {
  Random random(test_seed());
  for (const std::int64_t columns : {1, 3, 4, 30, 31, 33, 64, 128, 132, 257}) {
    for (const std::int64_t rows : {1, 2, 31, 65})
      compare_kernels(random, AddBias{rows, columns}, 0, text({rows, columns}));
  }
}

TEST(CudaElementwise, SoftmaxAgreesWithTheReference) {
  Random random(test_seed());
  for (const std::int64_t columns : {1, 2, 3, 10, 31, 32, 33, 70, 1000}) {
    for (const std::int64_t rows : {1, 7, 33}) {
      compare_kernels(random, Softmax{rows, columns}, 2e-6, text({rows, columns}), [](Memories& memories) {
        for (float& x : memories[0]) x *= 20;
      });
    }
  }
}

TEST(CudaElementwise, SoftmaxOfLargeLogitsFindsTheLargestWhereverItStands) {
  for (const std::int64_t columns : {33, 70, 1000}) {
    for (const std::int64_t place : {std::int64_t{0}, columns / 2, columns - 1}) {
      std::vector<float> x(static_cast<std::size_t>(2 * columns), -3.0F);
      x[static_cast<std::size_t>(place)] = x[static_cast<std::size_t>(2 * columns - 1 - place)] = 300;
      compare_on(Softmax{2, columns}, {x}, 2e-6, text({columns, place}));
    }
  }
}

TEST(CudaElementwise, NotANumberAndInfinityPassAsInTheReference) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> x{1, kNan, -kInfinity, kInfinity, -0.0F, 0.0F, 1e-40F, -1e-40F, 90, -90};
  const auto count = std::ssize(x);
  for (const Activation activation : kActivations) {
    compare_on(Activate{activation, count}, {x}, 2e-6, "special values");
    compare_on(ActivateGradient{activation, count}, {x, std::vector<float>(x.size(), 0.5F)}, 2e-6, "special values");
    compare_on(ActivateGradient{activation, count}, {std::vector<float>(x.size(), 2), x}, 2e-6, "special outputs");
  }
  compare_on(Softmax{2, 5}, {x}, 2e-6, "special values");
  compare_on(Softmax{5, 2}, {x}, 2e-6, "special values");
}

TEST(CudaElementwise, FusedBiasAndActivationHaveTheBitsOfBothOneAfterTheOther) {
  Random random(test_seed());
  for (const Activation activation : kActivations) {
    for (const std::int64_t columns : {1, 8, 33}) {
      const std::int64_t rows = 13;
      const Memories operands{uniform_floats(random, rows * columns, -3, 3), uniform_floats(random, columns)};
      const Work fused = [&](const Target& target, const Memory& memory) {
        finish_product(target, static_cast<float*>(memory[0]), static_cast<const float*>(memory[1]), rows, columns,
                       activation);
      };
      const OpSpec bias = AddBias{rows, columns}, activate = Activate{activation, rows * columns};
      const Work apart = [&](const Target& target, const Memory& memory) {
        work_of(bias)(target, memory);
        work_of(activate)(target, memory);
      };
      const std::string what = text({columns, static_cast<int>(activation)});
      EXPECT_TRUE(same_bits(run_all_ways(fused, operands, what)[0], run_all_ways(apart, operands, what)[0])) << what;
      const Work no_bias = [&](const Target& target, const Memory& memory) {
        finish_product(target, static_cast<float*>(memory[0]), nullptr, rows, columns, activation);
      };
      EXPECT_TRUE(
          same_bits(run_all_ways(no_bias, operands, what)[0], run_all_ways(work_of(activate), operands, what)[0]))
          << what;
    }
  }
}

/// As cuda_bf16.h says, without it: to nearest, ties to even.
std::uint16_t rounded(float value) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &value, sizeof bits);
  if (std::isnan(value)) return 0x7fff;
  return static_cast<std::uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

TEST(CudaElementwise, FloatsAreRoundedToTheNearestBf16) {
  Random random(test_seed());
  for (const std::int64_t count : kSizes) {
    std::vector<float> from = uniform_floats(random, count, -100, 100);
    if (count > 8) {
      const std::vector<float> special{1 + 0x1p-8F,
                                       1 + 3 * 0x1p-8F,
                                       -0.0F,
                                       std::numeric_limits<float>::infinity(),
                                       std::numeric_limits<float>::quiet_NaN(),
                                       1e-40F,
                                       3.4e38F};
      std::copy(special.begin(), special.end(), from.begin());
    }
    const Work round = [&](const Target& target, const Memory& memory) {
      round_to_bf16(target, static_cast<const float*>(memory[0]), static_cast<std::uint16_t*>(memory[1]), count);
    };
    const auto halves = static_cast<std::size_t>((count + 1) / 2);  // a float holds two numbers
    const Memories after = run_all_ways(round, {from, std::vector<float>(halves)}, text({count}));
    std::vector<std::uint16_t> to(2 * halves);
    std::memcpy(to.data(), after[1].data(), halves * sizeof(float));
    for (std::size_t i = 0; i < from.size(); ++i) EXPECT_EQ(to[i], rounded(from[i])) << from[i];
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
