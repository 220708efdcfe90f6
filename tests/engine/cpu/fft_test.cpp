// Convolutions by Fourier transforms against the reference, which takes the sums as they stand. Stated tolerance:
// 3e-6 (1 + sqrt(terms)) for inputs in [-1, 1].
#include "engine/kernel_comparison.hpp"
#include "engine/outcome.hpp"
#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"
#include "regatta/model/fft_tiling.hpp"

namespace regatta::engine {
namespace {

using model::Activation;
using model::Padding;

double tolerance(std::int64_t terms) { return 3 * sum_tolerance(terms); }

/// A convolution of some tiles, and of an input that they do not fill.
Conv1dShape random_fft_convolution(Random& random) {
  for (;;) {
    Conv1dShape s = random_convolution(random, uniform(random, 1, 3), uniform(random, 1, 40), 30);
    s.taps = uniform(random, 12, 50);
    s.length = uniform(random, s.taps, 300);
    set_positions(s, uniform(random, 0, 1) == 1);
    s.fft = model::fft_tiling({s.channels, s.positions, s.filters, s.taps, s.stride}).has_value();
    if (s.fft) return s;
  }
}

TEST(Fft, ConvolutionsAndTheirGradientsAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 30; ++i) {
    const Conv1dShape s = random_fft_convolution(random);
    const auto activation = static_cast<engine::Activation>(i % 4);
    compare(random, Conv1d{s, i % 2 == 0, activation}, tolerance(s.taps * s.channels), text(s));
    compare(random, Conv1dKernelGradient{s, i % 2 == 0}, tolerance(s.batch * s.positions), text(s));
    compare(random, Conv1dInputGradient{s, activation}, tolerance(s.taps * s.filters), text(s));
  }
}

TEST(Fft, TransformsOfEveryLengthAgreeWithTheReference) {
  Random random(test_seed());
  for (std::int64_t points = 64; points <= model::most_fft_points; points *= 2) {
    const std::int64_t batch = points > 256 ? 4 : 16, channels = points > 256 ? 6 : 40;
    const Conv1dShape s{batch, points, channels, points / 2, channels, points / 2 + 1, 1, 0, true};
    const auto tiling = model::fft_tiling({s.channels, s.positions, s.filters, s.taps, s.stride});
    ASSERT_TRUE(tiling && tiling->points == points);
    compare(random, Conv1d{s}, tolerance(s.taps * s.channels), text(s));
    compare(random, Conv1dKernelGradient{s}, tolerance(s.batch * s.positions), text(s));
  }
}

TEST(Fft, HasNoOtherWaysToChooseFrom) {
  const auto backend = cpu::make_backend();
  Conv1dShape shape{32, 140, 30, 121, 64, 20, 1, 0};
  EXPECT_FALSE(backend->choices(Conv1d{shape}).empty());
  shape.fft = true;
  EXPECT_TRUE(backend->choices(Conv1d{shape}).empty());
  EXPECT_TRUE(backend->choices(Conv1dKernelGradient{shape}).empty());
}

model::Network long_sequences(Activation activation = Activation::relu) {
  return {"s",
          {150, 5},
          {model::Conv1d{40, 40, 2, Padding::same, activation}, model::Conv1d{33, 30},
           model::Conv1d{20, 3, 1, Padding::same}, model::GlobalAveragePool{}, model::Dense{20, activation},
           model::Dropout{0.3}, model::Dense{1, Activation::sigmoid}},
          model::Loss::binary_crossentropy,
          model::Sgd{0.1}};
}

TEST(Fft, LossesAndWeightsAreThoseOfDirectConvolutionsButForRounding) {
  Random random(test_seed());
  // A smooth activation: rounding that carries a sum over relu's edge switches a whole gradient on or off.
  const model::Network network = long_sequences(Activation::tanh);
  const OwnedBatch batch = random_batch(random, network, 40);
  const auto direct = outcome(network, batch, Settings{.batch = 40});
  const auto transformed = outcome(network, batch, Settings{.batch = 40, .algorithm = Algorithm::fft});
  ASSERT_EQ(direct.size(), transformed.size());
  for (std::size_t i = 0; i < direct.size(); ++i) ASSERT_NEAR(direct[i], transformed[i], 5e-6) << i;
  EXPECT_NE(direct, transformed) << "nothing was transformed";
}

TEST(Fft, EagerAndGraphAndAnyNumberOfThreadsGiveTheSameBits) {
  Random random(test_seed());
  const model::Network network = long_sequences();
  const OwnedBatch batch = random_batch(random, network, 40);
  expect_same_outcome(network, batch, Settings{.batch = 40, .algorithm = Algorithm::fft});
}

TEST(Fft, IsRefusedWhereItSavesNothingAndWithOtherArithmetic) {
  const auto make = [](const char* model, const Settings& settings) {
    const auto network = std::get<model::Network>(*model::find_model(model, 140));
    return make_session(network, model::initial_weights(network, 0), settings);
  };
  EXPECT_NO_THROW(make("conv1d-medium", {.batch = 32, .algorithm = Algorithm::fft}));
  EXPECT_THROW(make("mlp-10", {.batch = 32, .algorithm = Algorithm::fft}), InputError);
  EXPECT_THROW(make("conv1d-medium", {.batch = 32, .precision = Precision::bf16, .algorithm = Algorithm::fft}),
               InputError);
  EXPECT_THROW(make("conv1d-medium", {.batch = 32, .rewrite = Rewrite::algebraic, .algorithm = Algorithm::fft}),
               InputError);
}

}  // namespace
}  // namespace regatta::engine
