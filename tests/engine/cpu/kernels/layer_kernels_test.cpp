// The kernels of images, recurrent layers, normalization and embedding, on every instruction set, against the
// reference over random shapes. Inputs lie in [-1, 1]; tolerances as in kernels_test.cpp, ten times those where an
// error travels through positions or a division.
#include <cstring>

#include "engine/cpu/kernels/kernel_table.hpp"
#include "engine/kernel_comparison.hpp"
#include "regatta/engine/ops.hpp"

namespace regatta::engine {
namespace {

using engine::text;  // for numbers; the ones for shapes stand beside it

/// One axis of a convolution.
struct Axis {
  std::int64_t size, positions, pad;
};

Axis random_axis(Random& random, std::int64_t taps, std::int64_t stride, bool same, std::int64_t longest) {
  Axis axis{};
  axis.size = uniform(random, same ? 1 : taps, longest);
  axis.positions = same ? (axis.size + stride - 1) / stride : (axis.size - taps) / stride + 1;
  axis.pad = same ? (std::max((axis.positions - 1) * stride + taps, axis.size) - axis.size) / 2 : 0;
  return axis;
}

Conv2dShape random_image_convolution(Random& random) {
  const std::int64_t taps = uniform(random, 1, 5);
  const std::int64_t stride = uniform(random, 1, 4);
  const bool same = uniform(random, 0, 1) == 1;
  const Axis rows = random_axis(random, taps, stride, same, 13);
  const Axis columns = random_axis(random, taps, stride, same, 13);
  return {.batch = uniform(random, 1, 3),
          .rows = rows.size,
          .columns = columns.size,
          .channels = uniform(random, 1, 6),
          .out_rows = rows.positions,
          .out_columns = columns.positions,
          .filters = uniform(random, 1, 70),
          .taps = taps,
          .stride = stride,
          .pad_rows = rows.pad,
          .pad_columns = columns.pad};
}

std::string text(const Conv2dShape& s) {
  return text({s.batch, s.rows, s.columns, s.channels, s.out_rows, s.out_columns, s.filters, s.taps, s.stride,
               s.pad_rows, s.pad_columns});
}

void compare_convolution(Random& random, const Conv2dShape& s, bool optional, Activation activation) {
  compare(random, Conv2d{s, optional, activation}, sum_tolerance(s.taps * s.taps * s.channels), text(s));
  compare(random, Conv2dKernelGradient{s, optional}, sum_tolerance(s.batch * s.out_rows * s.out_columns), text(s));
  compare(random, Conv2dInputGradient{s, activation}, sum_tolerance(s.taps * s.taps * s.filters), text(s));
}

TEST(LayerKernels, ConvolutionsOfImagesAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 60; ++i) {
    compare_convolution(random, random_image_convolution(random), i % 2 == 0, static_cast<Activation>(i % 4));
  }
}

TEST(LayerKernels, ConvolutionsOfManyPositionsAndFiltersAgreeWithTheReference) {
  Random random(test_seed());
  for (const std::int64_t filters : {33, 64, 65, 130}) {  // read in place or packed, in both directions
    for (const std::int64_t batch : {1, 4}) {
      compare_convolution(random,
                          {.batch = batch,
                           .rows = 15,
                           .columns = 16,
                           .channels = 3,
                           .out_rows = 13,
                           .out_columns = 14,
                           .filters = filters,
                           .taps = 3,
                           .stride = 1,
                           .pad_rows = 0,
                           .pad_columns = 0},
                          true, Activation::relu);
    }
  }
}

PoolShape random_pool(Random& random) {
  PoolShape s{};
  s.batch = uniform(random, 1, 3);
  s.window_rows = uniform(random, 1, 3);
  s.window_columns = uniform(random, 1, 3);
  s.rows = uniform(random, s.window_rows, 9);
  s.columns = uniform(random, s.window_columns, 9);
  s.channels = uniform(random, 1, 40);
  s.out_rows = s.rows / s.window_rows;
  s.out_columns = s.columns / s.window_columns;
  return s;
}

std::string text(const PoolShape& s) {
  return text({s.batch, s.rows, s.columns, s.channels, s.window_rows, s.window_columns});
}

/// Operand 3 of a max_pool_gradient is what max_pool makes of operand 1; some elements are equally large.
void set_largest(const PoolShape& s, Memories& memories) {
  for (float& x : memories[1]) x = std::round(x * 3);
  const std::array<void*, kOperands> pointers{memories[1].data(), memories[3].data()};
  const OpSpec pool = MaxPool{s};
  const auto backend = cpu::make_backend({.kernels = KernelSet::reference});
  backend->run(backend->bind(pool, pointers).calls[0]);
}

TEST(LayerKernels, PoolingAgreesWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 80; ++i) {
    const PoolShape s = random_pool(random);
    const auto derivative = static_cast<Activation>(i % 4);
    compare(random, MaxPool{s}, 0, text(s));
    compare(random, MaxPoolGradient{s, derivative}, 2e-6, text(s),
            [&](Memories& memories) { set_largest(s, memories); });
    compare(random, AveragePool{s}, 2e-6, text(s));
    compare(random, AveragePoolGradient{s, derivative}, 2e-6, text(s));
  }
}

LstmShape random_recurrence(Random& random, int i) {
  LstmShape s{};
  s.batch = uniform(random, 1, i % 3 == 0 ? 20 : 4);
  s.length = uniform(random, 1, 6);
  s.units = uniform(random, 1, i % 5 == 0 ? 80 : 20);
  const bool both = uniform(random, 0, 1) == 1;
  s.reverse = uniform(random, 0, 1) == 1;
  s.row = both ? 2 * s.units : s.units;
  s.offset = both && s.reverse ? s.units : 0;
  return s;
}

std::string text(const LstmShape& s) { return text({s.batch, s.length, s.units, s.row, s.offset, s.reverse}); }

TEST(LayerKernels, RecurrentLayersAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 60; ++i) {
    const LstmShape s = random_recurrence(random, i);
    const auto activation = static_cast<Activation>(i % 4);
    const auto scale = [&](std::size_t operand) {  // scales the recurrent kernel, so that long sums stay near 1
      return [&s, operand](Memories& memories) {
        for (float& weight : memories[operand]) weight /= std::sqrt(static_cast<float>(s.units));
      };
    };
    const double tolerance = 10 * sum_tolerance(4 * s.units);
    compare(random, Lstm{s, activation}, tolerance, text(s), scale(1));
    compare(random, LstmGradient{s, activation, i % 2 == 0}, tolerance, text(s), scale(2));
    compare(random, LstmRecurrentGradient{s, i % 2 == 0}, sum_tolerance(s.batch * s.length), text(s));
    compare(random, LstmLast{s}, 0, text(s));
  }
}

TEST(LayerKernels, NormalizationAgreesWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 60; ++i) {
    const std::int64_t rows = uniform(random, 1, 40);
    const std::int64_t columns = uniform(random, 1, 90);
    const std::string shape = text({rows, columns});
    const auto positive_scales = [](Memories& memories) {
      for (std::size_t j = memories[4].size() / 2; j < memories[4].size(); ++j) memories[4][j] = 1 + memories[4][j] / 2;
    };
    const auto moments_of_some_step = [&](Memories& memories) { set_moving_moments(memories, i); };
    // A column of two rows that hardly differ is divided by sqrt(epsilon).
    const BatchNorm norm{.rows = rows,
                         .columns = columns,
                         .fixed_moments = i % 3 == 0,
                         .moving_moments = i % 2 == 0,
                         .epsilon = i % 5 == 0 ? 0.5F : 1e-3F,
                         .smallest_share = 0.1F};
    compare(random, norm, 1e-5, shape, moments_of_some_step);
    compare(random, BatchNorm{rows, columns, false, false, true}, 1e-5, shape, positive_scales);
    compare(random, BatchNormInputGradient{rows, columns}, 1e-5, shape, positive_scales);
    compare(random, BatchSums{rows, columns, i % 2 == 0}, 1e-5, shape);
    compare(random, LayerNorm{rows, columns}, 1e-5, shape);
    compare(random, BatchNormGradient{rows, columns, i % 2 == 0}, 1e-5, shape, positive_scales);
    compare(random, LayerNormGradient{rows, columns, i % 2 == 0}, 1e-5, shape, positive_scales);
    compare(random, Add{rows * columns}, 0, shape);
  }
}

TEST(LayerKernels, EmbeddingAgreesWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 40; ++i) {
    const std::int64_t rows = uniform(random, 1, 30);
    const std::int64_t vocabulary = uniform(random, 1, 9);
    const std::int64_t units = uniform(random, 1, 70);
    const auto indices = [&](Memories& memories) {
      for (float& place : memories[0]) {
        const auto index = static_cast<std::int32_t>(uniform(random, 0, vocabulary - 1));
        std::memcpy(&place, &index, sizeof index);
      }
    };
    compare(random, Embedding{rows, vocabulary, units}, 0, text({rows, vocabulary, units}), indices);
    compare(random, EmbeddingGradient{rows, vocabulary, units}, sum_tolerance(rows), text({rows, vocabulary, units}),
            indices);
  }
}

/// Runs one operation and gives an operand back.
std::vector<float> operand_after(Backend& backend, const OpSpec& spec, Memories memories, std::size_t operand) {
  run(backend, spec, memories);
  return memories[operand];
}

constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
constexpr float kInfinity = std::numeric_limits<float>::infinity();

/// All kernels, the reference among them.
std::vector<std::unique_ptr<Backend>> all_backends() {
  std::vector<std::unique_ptr<Backend>> backends;
  backends.push_back(cpu::make_backend({.kernels = KernelSet::reference}));
  for (const Isa isa : supported_isas()) backends.push_back(cpu::make_backend({.isa = isa}));
  return backends;
}

TEST(LayerKernels, TheLargestOfAWindowWithNotANumberIsNotANumberAndItsGradientGoesThere) {
  const PoolShape s{.batch = 1,
                    .rows = 1,
                    .columns = 7,
                    .channels = 1,
                    .window_rows = 1,
                    .window_columns = 3,
                    .out_rows = 1,
                    .out_columns = 2};
  const std::vector<float> x{1, kNan, 9, -kInfinity, kInfinity, kInfinity, 5};
  for (const auto& backend : all_backends()) {
    const std::vector<float> y = operand_after(*backend, MaxPool{s}, {x, {0, 0}}, 1);
    EXPECT_TRUE(std::isnan(y[0])) << backend->isa();
    EXPECT_EQ(y[1], kInfinity) << backend->isa();
    const std::vector<float> none(7);
    EXPECT_EQ(operand_after(*backend, MaxPoolGradient{s}, {std::vector<float>{3, 4}, x, none, y}, 2),
              (std::vector<float>{0, 3, 0, 0, 4, 0, 0}))
        << backend->isa();
    EXPECT_TRUE(std::isnan(operand_after(*backend, AveragePool{s}, {x, {0, 0}}, 1)[0])) << backend->isa();
  }
}

TEST(LayerKernels, PaddingOfAnImageIsSkippedNotMultiplied) {
  // Weights that meet only padding may be anything: 0 * infinity would be NaN.
  const Conv2dShape s{.batch = 1,
                      .rows = 1,
                      .columns = 1,
                      .channels = 1,
                      .out_rows = 1,
                      .out_columns = 1,
                      .filters = 1,
                      .taps = 3,
                      .stride = 1,
                      .pad_rows = 1,
                      .pad_columns = 1};
  std::vector<float> kernel(9, kInfinity);
  kernel[4] = 2;
  for (const auto& backend : all_backends()) {
    EXPECT_EQ(operand_after(*backend, Conv2d{s}, {std::vector<float>{3}, kernel, std::vector<float>{0}}, 2)[0], 6)
        << backend->isa();
    EXPECT_EQ(
        operand_after(*backend, Conv2dInputGradient{s}, {std::vector<float>{3}, kernel, std::vector<float>{0}}, 2)[0],
        6)
        << backend->isa();
  }
}

TEST(LayerKernels, NotANumberPassesThroughRecurrentLayersAndNormalization) {
  const LstmShape s{.batch = 2, .length = 3, .units = 1, .row = 1, .offset = 0, .reverse = false};
  std::vector<float> gates(24, 0.5F);
  gates[4 + 1] = kNan;  // the forget gate of sample 0 at position 1
  for (const auto& backend : all_backends()) {
    const auto states =
        operand_after(*backend, Lstm{s, Activation::relu},
                      {gates, std::vector<float>(4, 0.1F), std::vector<float>(6), std::vector<float>(6)}, 2);
    EXPECT_FALSE(std::isnan(states[0])) << backend->isa();
    EXPECT_TRUE(std::isnan(states[1])) << backend->isa();
    EXPECT_TRUE(std::isnan(states[2])) << backend->isa();
    EXPECT_FALSE(std::isnan(states[5])) << backend->isa();
    const std::vector<float> x{1, kNan, 2, 3}, ones{1, 1}, none(4);
    const auto by_row = operand_after(*backend, LayerNorm{2, 2}, {x, none, ones, ones, none}, 1);
    EXPECT_TRUE(std::isnan(by_row[0])) << backend->isa();
    EXPECT_FALSE(std::isnan(by_row[2])) << backend->isa();
    const auto by_column = operand_after(*backend, BatchNorm{2, 2, false}, {x, none, ones, ones, none}, 1);
    EXPECT_FALSE(std::isnan(by_column[0])) << backend->isa();
    EXPECT_TRUE(std::isnan(by_column[3])) << backend->isa();
  }
}

/// Two columns of three rows, with means of 3 and 20 and variances of 8 / 3 and 200.
const std::vector<float> two_columns{1, 10, 3, 10, 5, 40};
constexpr BatchNorm trains{.rows = 3, .columns = 2, .fixed_moments = false, .moving_moments = true};

Memories with_moments(const std::vector<float>& moving, std::int64_t step) {
  return {two_columns, std::vector<float>(6), {1, 1}, {0, 0}, std::vector<float>(4), moving, state_at(step)};
}

TEST(LayerKernels, MovingMomentsAreThoseOfTheBatchAfterTheFirstStep) {
  for (const auto& backend : all_backends()) {
    const auto moved = operand_after(*backend, trains, with_moments({-7, 1e9F, 1, 0}, 1), 5);
    EXPECT_FLOAT_EQ(moved[0], 3) << backend->isa();
    EXPECT_FLOAT_EQ(moved[1], 20) << backend->isa() << ": nothing is left of what was there";
    EXPECT_FLOAT_EQ(moved[2], 8.0F / 3) << backend->isa() << ": by 3 and not by 2";
    EXPECT_FLOAT_EQ(moved[3], 200) << backend->isa();
  }
}

TEST(LayerKernels, MovingMomentsAreTheMeanOverStepsUntilTheSmallestShare) {
  const std::vector<float> moving{1, 0, 1, 2};
  for (const auto& backend : all_backends()) {
    const auto moved = operand_after(*backend, trains, with_moments(moving, 4), 5);
    EXPECT_FLOAT_EQ(moved[0], 0.75F * 1 + 0.25F * 3) << backend->isa();
    EXPECT_FLOAT_EQ(moved[3], 0.75F * 2 + 0.25F * 200) << backend->isa();
    const auto later = operand_after(*backend, trains, with_moments(moving, 1'000'000), 5);
    EXPECT_FLOAT_EQ(later[0], 0.99F * 1 + 0.01F * 3) << backend->isa();
    EXPECT_FLOAT_EQ(later[3], 0.99F * 2 + 0.01F * 200) << backend->isa();
    BatchNorm eager = trains;
    eager.smallest_share = 0.5F;
    EXPECT_FLOAT_EQ(operand_after(*backend, eager, with_moments(moving, 4), 5)[0], 2) << backend->isa();
  }
}

TEST(LayerKernels, EvaluationReadsMovingMomentsAndLeavesThem) {
  const std::vector<float> moving{1, 0, 1, 2};
  BatchNorm looks = trains;
  looks.fixed_moments = true;
  looks.epsilon = 0.25F;
  for (const auto& backend : all_backends()) {
    EXPECT_EQ(operand_after(*backend, looks, with_moments(moving, 1), 5), moving) << backend->isa();
    const auto y = operand_after(*backend, looks, with_moments(moving, 1), 1);
    EXPECT_FLOAT_EQ(y[2], 2 / std::sqrt(1.25F)) << backend->isa();
    EXPECT_FLOAT_EQ(y[5], 40 / std::sqrt(2.25F)) << backend->isa();
  }
}

}  // namespace
}  // namespace regatta::engine
