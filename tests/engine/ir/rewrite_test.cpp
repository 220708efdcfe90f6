// Pooling before convolutions computes what pooling behind them does, but for rounding.
#include "engine/outcome.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

using model::Activation;
using model::Padding;

model::Network pooled(std::vector<model::Layer> convolutions, std::int64_t length) {
  model::Network network{
      "pooled", {length, 3}, std::move(convolutions), model::Loss::binary_crossentropy, model::Sgd{0.1}};
  network.layers.emplace_back(model::GlobalAveragePool{});
  network.layers.emplace_back(model::Dense{7, Activation::tanh});
  network.layers.emplace_back(model::Dense{1, Activation::sigmoid});
  return network;
}

std::vector<model::Network> networks() {
  return {pooled({model::Conv1d{5, 4}}, 30), pooled({model::Conv1d{5, 8, 4, Padding::same}}, 31),
          pooled({model::Conv1d{5, 4}, model::Conv1d{6, 3, 2}, model::Conv1d{4, 5}}, 40),
          pooled({model::Conv1d{5, 6, 3, Padding::same}, model::Conv1d{6, 3, 2}}, 50),
          pooled({model::Conv1d{5, 4}, model::Conv1d{6, 7}}, 12)};
}

TEST(Rewrite, LossesGradientsAndWeightsAreThoseOfPoolingBehind) {
  Random random(test_seed());
  for (const model::Network& network : networks()) {
    const OwnedBatch batch = random_batch(random, network, 6);
    const auto expected = outcome(network, batch, Settings{.batch = 6});
    const auto found = outcome(network, batch, Settings{.batch = 6, .rewrite = Rewrite::algebraic});
    ASSERT_EQ(expected.size(), found.size());
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(expected[i], found[i], 2e-6) << i;
    EXPECT_NE(expected, found) << "nothing was rewritten";
  }
}

TEST(Rewrite, EveryModeGivesTheSameBits) {
  Random random(test_seed());
  for (const model::Network& network : networks()) {
    const OwnedBatch batch = random_batch(random, network, 6);
    expect_same_outcome(network, batch, Settings{.batch = 6, .rewrite = Rewrite::algebraic});
  }
}

TEST(Rewrite, InferenceGivesTheSameOutput) {
  Random random(test_seed());
  const model::Network network = networks()[2];
  const OwnedBatch batch = random_batch(random, network, 6);
  std::vector<std::vector<float>> outputs;
  for (const Rewrite rewrite : {Rewrite::none, Rewrite::algebraic}) {
    const TestSettings settings(Settings{.work = Work::infer, .batch = 6, .rewrite = rewrite});
    const auto session = make_session(network, model::initial_weights(network, 4), settings);
    session->step({batch.x, {}, {}, {}});
    outputs.emplace_back(session->output().begin(), session->output().end());
  }
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(outputs[0][i], outputs[1][i], 1e-6);
}

TEST(Rewrite, IsRefusedWhereNoPoolingFollowsLinearConvolutions) {
  const auto network = pooled({model::Conv1d{5, 4, 1, Padding::valid, Activation::relu}}, 30);
  EXPECT_THROW(make_session(network, model::initial_weights(network, 0), Settings{.rewrite = Rewrite::algebraic}),
               InputError);
}

}  // namespace
}  // namespace regatta::engine
