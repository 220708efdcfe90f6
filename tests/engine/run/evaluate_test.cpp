// Work::evaluate: losses and output of weights as they are.
#include <algorithm>

#include "engine/support.hpp"

namespace regatta::engine {
namespace {

using model::Activation;

bool normalizes_batches(const model::Network& network) {
  return std::any_of(network.layers.begin(), network.layers.end(),
                     [](const model::Layer& layer) { return std::holds_alternative<model::BatchNorm>(layer); });
}

/// The results of a session after one step.
struct Shown {
  float mean_loss;
  std::vector<float> sample_losses, output;
};

Shown shown(TestSession& session, const OwnedBatch& batch) {
  const float mean = session.step(batch.view());
  return {mean,
          {session.sample_losses().begin(), session.sample_losses().end()},
          {session.output().begin(), session.output().end()}};
}

TEST(Evaluate, GivesTheLossesAndOutputOfATrainingStepWithoutDropout) {
  Random random(test_seed());
  for (int i = 0; i < 40; ++i) {
    const model::Network network = random_network(random);
    if (normalizes_batches(network)) continue;
    const OwnedBatch batch = random_batch(random, network, 7);
    const auto weights = model::initial_weights(network, 1);
    for (const Mode mode : {Mode::eager, Mode::graph}) {
      TestSettings settings(Settings{.mode = mode, .batch = 7, .dropout = false});
      settings.take(i % 3 == 0 ? Kernels::reference : i % 3 == 1 ? Kernels::cpu : Kernels::plugin);
      const Shown expected = shown(*make_session(network, weights, settings), batch);
      settings.work = Work::evaluate;
      settings.dropout = true;  // only training has it
      const auto session = make_session(network, weights, settings);
      for (int step = 0; step < 2; ++step) {
        const Shown found = shown(*session, batch);
        EXPECT_EQ(found.mean_loss, expected.mean_loss) << describe(network);
        EXPECT_EQ(found.sample_losses, expected.sample_losses) << describe(network);
        EXPECT_EQ(found.output, expected.output) << describe(network);
      }
      EXPECT_EQ(session->weights().back().values, weights.back().values) << describe(network);
    }
  }
}

TEST(Evaluate, GivesTheOutputOfInferenceWithBatchNormalizationToo) {
  const model::Network network{
      "norm",
      {6, 6, 2},
      {model::Conv2d{4, 3}, model::BatchNorm{}, model::Flatten{}, model::Dropout{0.5}, model::Dense{3}},
      model::Loss::mse,
      model::Adam{0.01}};
  Random random(test_seed());
  const OwnedBatch batch = random_batch(random, network, 5);
  const auto weights = model::initial_weights(network, 1);
  TestSettings settings(Settings{.work = Work::infer, .batch = 5});
  const auto inference = make_session(network, weights, settings);
  inference->step({batch.x, {}, {}});
  settings.work = Work::evaluate;
  const Shown found = shown(*make_session(network, weights, settings), batch);
  EXPECT_TRUE(std::equal(found.output.begin(), found.output.end(), inference->output().begin()));
  double sum = 0;
  for (std::size_t sample = 0; sample < 5; ++sample) {
    double loss = 0;
    for (std::size_t i = 3 * sample; i < 3 * sample + 3; ++i) {
      const double error = static_cast<double>(found.output[i]) - batch.y_float[i];
      loss += error * error / 3;
    }
    EXPECT_NEAR(found.sample_losses[sample], loss, 1e-5 * std::max(1.0, loss));
    sum += loss;
  }
  EXPECT_NEAR(found.mean_loss, sum / 5, 1e-5 * std::max(1.0, sum));
}

/// Moving moments of columns, as formulas say: means over the first ten steps, then exponential ones.
struct Moving {
  std::vector<double> mean, variance;
  double steps = 0;

  void take(const std::vector<float>& x) {
    const double share = std::max(0.1, 1 / ++steps);
    const std::size_t columns = mean.size();
    const double rows = static_cast<double>(x.size()) / static_cast<double>(columns);
    for (std::size_t j = 0; j < columns; ++j) {
      double sum = 0, squares = 0;
      for (std::size_t i = j; i < x.size(); i += columns) sum += x[i];
      for (std::size_t i = j; i < x.size(); i += columns) squares += std::pow(x[i] - sum / rows, 2);
      mean[j] = (1 - share) * mean[j] + share * sum / rows;
      variance[j] = (1 - share) * variance[j] + share * squares / rows;
    }
  }
};

const model::Network kNormalizing{"norm",
                                  {6, 3},
                                  {model::BatchNorm{0.9, 0.125}, model::GlobalAveragePool{}, model::Dense{1}},
                                  model::Loss::mse,
                                  model::Sgd{0.01}};

/// The output for a sample (6, 3).
double output_of(const std::vector<model::Tensor>& weights, const Moving& moving, std::span<const float> x) {
  const auto value = [&](const char* name, std::size_t at) {
    return static_cast<double>(std::get<std::vector<float>>(model::tensor_named(weights, name).values)[at]);
  };
  double output = value("2.bias", 0);
  for (std::size_t j = 0; j < 3; ++j) {
    double mean = 0;
    for (std::size_t i = j; i < x.size(); i += 3) mean += x[i] / 6.0;
    const double xhat = (mean - moving.mean[j]) / std::sqrt(moving.variance[j] + 0.125);
    output += (xhat * value("0.gamma", j) + value("0.beta", j)) * value("2.kernel", j);
    EXPECT_NEAR(value("0.moving_mean", j), moving.mean[j], 1e-5);
    EXPECT_NEAR(value("0.moving_variance", j), moving.variance[j], 1e-5);
  }
  return output;
}

TEST(Evaluate, NormalizesBatchesByTheMomentsThatTrainingMoved) {
  Random random(test_seed());
  std::vector<OwnedBatch> batches;
  Moving moving{{0, 0, 0}, {1, 1, 1}};  // the first values have no part in it
  for (int i = 0; i < 30; ++i) {
    batches.push_back(random_batch(random, kNormalizing, 8));
    std::vector<float>& x = batches.back().x;
    for (std::size_t at = 0; at < x.size(); at += 3) x[at] += 4;
    moving.take(x);
  }
  const std::span<const float> sample = std::span(batches.front().x).first(18);
  for (const Kernels kernels : all_kernels()) {
    for (const Mode mode : {Mode::eager, Mode::graph}) {
      TestSettings settings(Settings{.mode = mode, .batch = 8, .moving_moments = true});
      settings.take(kernels);
      const auto training = make_session(kNormalizing, model::initial_weights(kNormalizing, 1), settings);
      for (const OwnedBatch& batch : batches) training->step(batch.view());
      settings.work = Work::evaluate;
      const auto evaluation = make_session(kNormalizing, training->weights(), settings);
      for (int i = 0; i < 2; ++i) {  // looking moves nothing
        const double expected = output_of(evaluation->weights(), moving, sample);
        EXPECT_NEAR(shown(*evaluation, batches.front()).output[0], expected, 1e-4 * std::max(1.0, std::abs(expected)));
      }
    }
  }
}

TEST(Evaluate, FollowsATrainingSessionThroughItsWeights) {
  const model::Network network{
      "n",
      {9},
      {model::Dense{20, Activation::relu}, model::Dropout{0.3}, model::Dense{1, Activation::sigmoid}},
      model::Loss::binary_crossentropy,
      model::Adam{0.05}};
  Random random(3);
  const OwnedBatch batch = random_batch(random, network, 32);
  const auto training = make_session(network, model::initial_weights(network, 1), {});
  const auto evaluation = make_session(network, training->weights(), Settings{.work = Work::evaluate});
  const float before = evaluation->step(batch.view());
  for (int i = 0; i < 100; ++i) training->step(batch.view());
  EXPECT_EQ(evaluation->step(batch.view()), before);
  evaluation->load(training->weights());
  EXPECT_LT(evaluation->step(batch.view()), 0.7F * before);
}

}  // namespace
}  // namespace regatta::engine
