// Products in bf16 against the reference on operands that are rounded beforehand: then only the order of sums differs.
// Where the processor has no tile registers, these tests do not exist.
#include <cstring>

#include "engine/kernel_comparison.hpp"
#include "engine/outcome.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::engine {
namespace {

/// To the nearest, ties to even.
float rounded(float x) {
  std::uint32_t bits = 0;
  std::memcpy(&bits, &x, sizeof bits);
  if (std::isnan(x)) return x;
  bits += 0x7fffU + (bits >> 16U & 1U);
  bits &= 0xffff0000U;
  std::memcpy(&x, &bits, sizeof bits);
  return x;
}

std::unique_ptr<Backend> bf16_backend() { return cpu::make_backend({}, Precision::bf16); }

void expect_reference(Random& random, const OpSpec& spec, std::int64_t terms, const std::string& what) {
  Memories expected = random_operands(random, spec);
  for (const std::size_t factor : {0, 1}) {
    for (float& x : expected[factor]) x = rounded(x);
  }
  Memories actual = expected;
  run(*cpu::make_backend({.kernels = KernelSet::reference}), spec, expected);
  run(*bf16_backend(), spec, actual);
  for (std::size_t operand = 0; operand < kOperands; ++operand) {
    for (std::size_t i = 0; i < expected[operand].size(); ++i) {
      const float want = expected[operand][i], got = actual[operand][i];
      ASSERT_LE(std::abs(want - got), sum_tolerance(terms) * std::max(1.0F, std::abs(want)))
          << name_of(spec) << ' ' << what << ": operand " << operand << '[' << i << ']';
    }
  }
}

class Bf16 : public testing::TestWithParam<const char*> {};
GTEST_ALLOW_UNINSTANTIATED_PARAMETERIZED_TEST(Bf16);

TEST_P(Bf16, MatrixProductsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 150; ++i) {
    const MatMul op = random_product(random, i);
    expect_reference(random, op, op.k, text({op.m, op.n, op.k, op.transpose_a, op.transpose_b}));
  }
}

TEST_P(Bf16, ConvolutionsAndTheirGradientsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 80; ++i) {
    const std::int64_t batch = uniform(random, 1, 4);
    const std::int64_t channels = uniform(random, 0, 1) == 0 ? uniform(random, 8, 70) : uniform(random, 1, 7);
    const Conv1dShape s = random_convolution(random, batch, channels, 90);
    const std::string shape = text(s);
    expect_reference(random, Conv1d{s, i % 2 == 0, static_cast<Activation>(i % 4)}, s.taps * s.channels, shape);
    expect_reference(random, Conv1dKernelGradient{s, i % 2 == 0}, s.batch * s.positions, shape);
    expect_reference(random, Conv1dInputGradient{s, static_cast<Activation>(i % 4)}, s.taps * s.filters, shape);
  }
}

TEST_P(Bf16, OperandsAreRoundedToTheNearestAndTiesToEven) {
  const MatMul identity{.m = 40, .n = 40, .k = 40};
  for (const std::size_t factor : {0, 1}) {  // the other one is the identity
    Random random(test_seed());
    Memories memories = random_operands(random, identity);
    std::vector<float>& x = memories[factor];
    std::fill(memories[1 - factor].begin(), memories[1 - factor].end(), 0.0F);
    for (std::size_t i = 0; i < 40; ++i) memories[1 - factor][41 * i] = 1;
    x[0] = 1 + 0x1p-8F;      // between 1 and 1 + 2^-7, even below
    x[1] = 1 + 3 * 0x1p-8F;  // even above
    x[2] = 1 + 0x1.01p-8F;   // nearer to the upper one
    x[3] = -0x1.fdp127F;     // the largest but one
    const std::vector<float> before = x;
    run(*bf16_backend(), identity, memories);
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_EQ(memories[2][i], rounded(before[i])) << before[i];
  }
}

TEST_P(Bf16, WhatIsNotFiniteReachesOnlyTheSumsThatItIsPartOf) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const MatMul product{.m = 50, .n = 37, .k = 45};
  Memories memories{std::vector<float>(50 * 45, 1.0F), std::vector<float>(45 * 37, 1.0F), std::vector<float>(50 * 37)};
  memories[0][7 * 45 + 44] = kInfinity;
  memories[0][20 * 45 + 3] = std::nanf("");
  run(*bf16_backend(), product, memories);
  for (std::size_t row = 0; row < 50; ++row) {
    const float got = memories[2][row * 37 + 36];
    EXPECT_TRUE(row == 7 ? got == kInfinity : row == 20 ? std::isnan(got) : got == 45) << row << ": " << got;
  }
  const Conv1d convolution{{1, 60, 3, 58, 5, 3, 1, 0}};
  Memories images{std::vector<float>(60 * 3, 1.0F), std::vector<float>(45, 1.0F), std::vector<float>(58 * 5)};
  images[0][30 * 3] = kInfinity;
  run(*bf16_backend(), convolution, images);
  for (std::size_t position = 0; position < 58; ++position) {
    const bool reads_it = position >= 28 && position <= 30;
    EXPECT_EQ(images[2][position * 5], reads_it ? kInfinity : 9.0F) << position;
  }
}

model::Network sequences() {
  return {"s",
          {50, 5},
          {model::Conv1d{40, 7, 2, model::Padding::same, model::Activation::relu},
           model::Conv1d{33, 5, 1, model::Padding::valid, model::Activation::none}, model::GlobalAveragePool{},
           model::Dense{20, model::Activation::relu}, model::Dropout{0.3}, model::Dense{1, model::Activation::sigmoid}},
          model::Loss::binary_crossentropy,
          model::Adam{}};
}

TEST_P(Bf16, EagerAndGraphAndAnyNumberOfThreadsGiveTheSameBits) {
  Random random(test_seed());
  const model::Network network = sequences();
  const OwnedBatch batch = random_batch(random, network, 40);
  expect_same_outcome(network, batch, Settings{.batch = 40, .precision = Precision::bf16});
}

TEST_P(Bf16, LossesLieNearThoseOfFp32AndAreNotTheSame) {
  Random random(test_seed());
  const model::Network network = sequences();
  TestSettings settings(Settings{.batch = 40});
  const OwnedBatch batch = random_batch(random, network, settings.batch);
  const float exact = outcome(network, batch, settings).front();
  settings.precision = Precision::bf16;
  const float near = outcome(network, batch, settings).front();
  EXPECT_NE(exact, near);
  EXPECT_NEAR(exact, near, 0.02 * exact);
}

TEST_P(Bf16, ModelsWithProductsInFp32AreRefused) {
  const TestSettings settings(Settings{.batch = 1, .precision = Precision::bf16});
  const auto model = std::get<model::Network>(*model::find_model("cnn-28", 140));
  EXPECT_THROW(make_session(model, model::initial_weights(model, 0), settings), InputError);
}

INSTANTIATE_TEST_SUITE_P(Tiles, Bf16,
                         testing::ValuesIn(cpu::supports_tiles() ? std::vector<const char*>{"amx"}
                                                                 : std::vector<const char*>{}));

TEST(Bf16Kernels, AreRefusedWhereTheProcessorLacksTileRegisters) {
  if (cpu::supports_tiles()) {
    EXPECT_STREQ(bf16_backend()->isa(), "amx-bf16");
  } else {
    EXPECT_THROW(bf16_backend(), InputError);
  }
}

}  // namespace
}  // namespace regatta::engine
