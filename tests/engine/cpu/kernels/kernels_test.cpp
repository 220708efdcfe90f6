// Every cpu kernel of every instruction set against the reference, over random shapes. Inputs lie in
// [-1, 1]. Stated tolerance: 1e-6 (1 + sqrt(k)) absolute for sums of k products, 2e-6 for the rest.
#include <cstring>

#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/kernel_comparison.hpp"
#include "regatta/engine/ops.hpp"

namespace regatta::engine {
namespace {

TEST(Kernels, MatrixProductsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 150; ++i) {
    MatMul op = random_product(random, i);
    op.add_to_c = op.sum_columns && i % 2 == 0;
    compare(random, op, sum_tolerance(op.k),
            text({op.m, op.n, op.k, op.transpose_a, op.transpose_b, static_cast<int>(op.activation),
                  static_cast<int>(op.derivative)}));
  }
}

TEST(Kernels, LongSumsOverRowsOfBothOperandsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 12; ++i) {
    MatMul op{.m = uniform(random, 64, 200), .n = uniform(random, 64, 200), .k = uniform(random, 193, 500)};
    op.transpose_a = true;
    op.sum_columns = i % 2 == 0;
    op.add_to_c = i % 3 == 0;
    compare(random, op, sum_tolerance(op.k), text({op.m, op.n, op.k, op.sum_columns, op.add_to_c}));
  }
}

TEST(Kernels, MatrixProductsAgreeAtEverySmallShape) {
  Random random(test_seed());
  for (std::int64_t m = 1; m <= 15; ++m) {
    for (const std::int64_t n : {1, 2, 7, 8, 15, 16, 17, 31, 32, 33, 50, 64, 65}) {
      for (const bool transpose_a : {false, true}) {
        for (const bool transpose_b : {false, true}) {
          const MatMul op{
              .m = m, .n = n, .k = uniform(random, 1, 9), .transpose_a = transpose_a, .transpose_b = transpose_b};
          compare(random, op, sum_tolerance(op.k), text({op.m, op.n, op.k, transpose_a, transpose_b}));
        }
      }
    }
  }
}

MatMul random_outer_b(Random& random) {
  MatMul op{.m = uniform(random, 1, 30),
            .n = uniform(random, 1, 70),
            .k = uniform(random, 1, uniform(random, 0, 4) == 0 ? 3 : 450)};
  op.transpose_a = op.outer_b = true;
  op.derivative = uniform(random, 0, 1) == 1 ? Activation::relu : Activation::none;
  op.sum_columns = uniform(random, 0, 2) > 0;
  op.add_to_c = uniform(random, 0, 1) == 1;
  return op;
}

TEST(Kernels, ProductsWithAnOuterProductAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 100; ++i) {
    const MatMul op = random_outer_b(random);
    compare(random, op, sum_tolerance(op.k), text({op.m, op.n, op.k, static_cast<int>(op.derivative)}));
  }
}

TEST(Kernels, ProductsWithAnOuterProductHaveTheBitsOfBothOneAfterTheOther) {
  Random random(test_seed());
  for (int i = 0; i < 60; ++i) {
    const MatMul op = random_outer_b(random);
    Memories fused = random_operands(random, op);
    const MatMul outer{.m = op.k, .n = op.n, .k = 1, .transpose_b = true, .derivative = op.derivative};
    Memories made{fused[1], fused[3], std::vector<float>(static_cast<std::size_t>(op.k * op.n)), {}, fused[4]};
    MatMul product = op;
    product.outer_b = false;
    product.derivative = Activation::none;
    for (const Isa isa : supported_isas()) {
      const auto backend = cpu::make_backend({.isa = isa});
      Memories both = fused, b = made;
      run(*backend, op, both);
      run(*backend, outer, b);
      Memories apart{fused[0], b[2], fused[2], {}, {}, fused[5]};
      run(*backend, product, apart);
      EXPECT_EQ(both[2], apart[2]) << isa_name(isa) << ' ' << text({op.m, op.n, op.k});
      EXPECT_EQ(both[5], apart[5]) << isa_name(isa) << ' ' << text({op.m, op.n, op.k});
    }
  }
}

TEST(Kernels, ZerosHaveTheSameSignInProductsOfOneTermWithAndWithoutWhatFollows) {
  const MatMul plain{.m = 2, .n = 40, .k = 1, .transpose_b = true};
  MatMul derived = plain;
  derived.derivative = Activation::tanh;
  for (const Isa isa : supported_isas()) {
    const auto backend = cpu::make_backend({.isa = isa});
    Memories apart;
    apart[0] = {0.0F, -0.0F};
    apart[1].assign(40, -1.0F);
    apart[2].assign(80, 1.0F);
    Memories both = apart;
    both[4].assign(80, 0.5F);
    run(*backend, plain, apart);
    cpu::kernels_for(isa).activate_gradient(Activation::tanh, apart[2].data(), both[4].data(), 80);
    run(*backend, derived, both);
    EXPECT_EQ(std::memcmp(apart[2].data(), both[2].data(), 80 * sizeof(float)), 0) << isa_name(isa);
  }
}

Conv1dShape random_convolution(Random& random) {
  const std::int64_t batch = uniform(random, 0, 2) == 0 ? uniform(random, 5, 30) : uniform(random, 1, 4);
  const std::int64_t channels = uniform(random, 0, 3) == 0 ? uniform(random, 8, 40) : uniform(random, 1, 7);
  return engine::random_convolution(random, batch, channels, 40);
}

TEST(Kernels, ConvolutionsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 80; ++i) {
    const Conv1dShape s = random_convolution(random);
    const bool add_bias = uniform(random, 0, 1) == 1;
    compare(random, Conv1d{s, add_bias, static_cast<Activation>(uniform(random, 0, 3))},
            sum_tolerance(s.taps * s.channels), text(s));
  }
}

TEST(Kernels, ConvolutionGradientsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 80; ++i) {
    const Conv1dShape s = random_convolution(random);
    compare(random, Conv1dKernelGradient{s, i % 2 == 0}, sum_tolerance(s.batch * s.positions), text(s));
    compare(random, Conv1dInputGradient{s, static_cast<Activation>(i % 4)}, sum_tolerance(s.taps * s.filters), text(s));
  }
}

TEST(Kernels, KernelGradientsOfLongInputsAgreeWithTheReferenceWhereOnlySomeTapsLieInside) {
  Random random(test_seed());
  for (int i = 0; i < 30; ++i) {
    Conv1dShape s = random_convolution(random);
    s.stride = uniform(random, 1, 4);
    s.taps = uniform(random, 2, 2 + 3 * s.stride);
    s.positions = uniform(random, 40, 80);
    s.length = s.positions * s.stride - uniform(random, 0, s.stride - 1);
    s.pad = uniform(random, 0, s.taps - 1);
    KernelChoice choice{};
    if (i % 2 == 0) choice.rows_at_once = static_cast<std::int32_t>(2 * s.channels);  // some of the taps at a time
    compare(random, Conv1dKernelGradient{.shape = s, .sum_columns = i % 3 == 0, .choice = choice},
            sum_tolerance(s.batch * s.positions), text(s));
  }
}

TEST(Kernels, ElementwiseOperationsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 60; ++i) {
    const std::int64_t rows = uniform(random, 1, 20);
    const std::int64_t columns = uniform(random, 1, 150);
    const std::int64_t length = uniform(random, 1, 9);
    const std::string shape = text({rows, columns, length});
    const auto activation = static_cast<Activation>(uniform(random, 0, 3));
    compare(random, AddBias{rows, columns}, 0, shape);
    compare(random, ColumnSum{rows, columns}, sum_tolerance(rows), shape);
    compare(random, ColumnSum{rows, columns, true}, sum_tolerance(rows), shape);
    compare(random, Activate{activation, rows * columns}, 2e-6, shape);
    compare(random, ActivateGradient{activation, rows * columns}, 2e-6, shape);
    compare(random, Softmax{rows, columns}, 2e-6, shape);
    compare(random, GlobalAveragePool{rows, length, columns}, 2e-6, shape);
    compare(random, GlobalAveragePoolGradient{rows, length, columns}, 2e-6, shape);
    compare(random, DropoutGradient{rows * columns}, 0, shape);
    compare(random, Square{}, 0, shape);
    compare(random, SquareGradient{}, 0, shape);
    compare(random, Fill{columns, 1.5F}, 0, shape);
  }
}

TEST(Kernels, SlidingMeansAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 60; ++i) {
    const std::int64_t length = uniform(random, 1, 60);
    const SlidingMean op{.batch = uniform(random, 1, 4),
                         .length = length,
                         .channels = uniform(random, 1, 70),
                         .outputs = uniform(random, 1, 30),
                         .count = uniform(random, 1, length),
                         .stride = uniform(random, 1, 4),
                         .pad = uniform(random, 0, 10)};
    compare(random, op, 2e-6, text({op.batch, op.length, op.channels, op.outputs, op.count, op.stride, op.pad}));
  }
}

TEST(Kernels, LossesAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 60; ++i) {
    const std::int64_t columns = uniform(random, 1, i % 3 == 0 ? 150 : 40);
    for (const auto kind :
         {model::Loss::mse, model::Loss::binary_crossentropy, model::Loss::sparse_categorical_crossentropy}) {
      const Loss op{.kind = kind,
                    .rows = uniform(random, 1, 50),
                    .columns = columns,
                    .samples = true,
                    .mean = true,
                    .gradient = true,
                    .averaged_rows = i % 2 == 0 ? 0 : 77};
      compare(random, op, 2e-6, text({op.rows, op.columns, static_cast<int>(kind)}), [&](Memories& memories) {
        if (kind != model::Loss::sparse_categorical_crossentropy) return;
        for (std::int64_t row = 0; row < op.rows; ++row) {
          const auto label = static_cast<std::int32_t>(uniform(random, 0, columns - 1));
          std::memcpy(&memories[1][static_cast<std::size_t>(row)], &label, sizeof label);
        }
      });
    }
  }
}

void set_state(std::vector<float>& memory) {
  const StepState state{3, 0.729, 0.997, 3.69004F, 333.5F, 0.1F, 0.25F};
  std::memcpy(memory.data(), &state, sizeof state);
}

TEST(Kernels, UpdatesAndDropoutAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 40; ++i) {
    const std::int64_t count = uniform(random, 1, 3000);
    const float weight_decay = i % 3 == 0 ? 0.3F : 0.0F;
    const bool clips = i % 5 < 2;
    compare(random, SgdUpdate{count, i % 2 == 0 ? 0.0F : 0.9F, weight_decay, clips}, 2e-6, text({count}),
            [](Memories& memories) { set_state(memories[3]); });
    compare(random, AdamUpdate{count, 0.9, 0.999, i % 7 == 0 ? 0.0F : 1e-7F, weight_decay, clips}, 2e-6, text({count}),
            [](Memories& memories) {
              for (float& v : memories[3]) v = std::abs(v);
              set_state(memories[4]);
            });
    const Dropout dropout{uniform(random, 1, 9), uniform(random, 1, 100), 0.4, 77, 5};
    compare(random, dropout, 0, text({dropout.batch, dropout.units}),
            [](Memories& memories) { set_state(memories[3]); });
    compare(random, AdvanceStep{0.9, 0.999}, 0, "", [](Memories& memories) { set_state(memories[0]); });
  }
}

TEST(Kernels, AdamSendsSpecialValuesWhereTheReferenceDoes) {
  const float infinity = std::numeric_limits<float>::infinity();
  const float nan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> m{0, 0.5F, -0.5F, 0.5F, infinity, -infinity, nan, 0.1F, 1e-30F, 0};
  const std::vector<float> v{0, 0, 1e-40F, infinity, 1, infinity, 1, nan, 1e-38F, 1e30F};
  const auto count = static_cast<std::int64_t>(m.size());
  for (const float epsilon : {1e-7F, 0.0F}) {
    const OpSpec spec = AdamUpdate{count, 0.9, 0.999, epsilon};
    Memories start;
    start[0].assign(m.size(), 0.25F);
    start[1].assign(m.size(), 0);
    start[2] = m;
    start[3] = v;
    start[4].resize(sizeof(StepState) / sizeof(float));
    set_state(start[4]);
    Memories expected = start;
    run(*cpu::make_backend({.kernels = KernelSet::reference}), spec, expected);
    for (const Isa isa : supported_isas()) {
      Memories actual = start;
      run(*cpu::make_backend({.isa = isa}), spec, actual);
      for (std::size_t i = 0; i < m.size(); ++i) {
        const float want = expected[0][i], got = actual[0][i];
        const bool agree = std::isfinite(want) ? std::abs(want - got) <= 4e-6F * std::max(1.0F, std::abs(want))
                                               : want == got || (std::isnan(want) && std::isnan(got));
        EXPECT_TRUE(agree) << isa_name(isa) << ": m " << m[i] << ", v " << v[i] << ", epsilon " << epsilon << ": "
                           << got << ", the reference has " << want;
      }
    }
  }
}

TEST(Kernels, NotANumberPassesThroughEveryActivationAndProduct) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  for (const Isa isa : supported_isas()) {
    const cpu::KernelTable& kernels = cpu::kernels_for(isa);
    for (const Activation activation : {Activation::none, Activation::relu, Activation::sigmoid, Activation::tanh}) {
      std::vector<float> x(19, nan);
      kernels.activate(activation, x.data(), 19);
      for (const float value : x) EXPECT_TRUE(std::isnan(value)) << isa_name(isa);
      std::vector<float> y(19, 0.5F);
      kernels.activate_gradient(activation, x.data(), y.data(), 19);
      for (const float value : x) EXPECT_TRUE(std::isnan(value)) << isa_name(isa);
    }
    std::vector<float> row{1, nan, 2};
    kernels.softmax(row.data(), 1, 3);
    for (const float value : row) EXPECT_TRUE(std::isnan(value)) << isa_name(isa);
  }
}

}  // namespace
}  // namespace regatta::engine
