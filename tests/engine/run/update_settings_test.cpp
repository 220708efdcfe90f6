// Learning rate, weight decay, clipping and accumulation against arithmetic written here. The model is y = w x + b with
// one weight and one sample: dw = 2 (y - target) x, db = 2 (y - target).
#include <gmock/gmock.h>

#include "engine/support.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine {
namespace {

constexpr int kLineSteps = 12;

float x_of(int step) { return 0.5F + 0.25F * static_cast<float>(step % 3); }
float target_of(int step) { return static_cast<float>(step % 4) - 1.0F; }
double rate_of(int step) { return step < 5 ? 0.1 : 0.1 / step; }  // the model's, then a falling one

struct Pair {
  double w, b;
};

Pair operator+(Pair a, Pair b) { return {a.w + b.w, a.b + b.b}; }
Pair operator*(double factor, Pair a) { return {factor * a.w, factor * a.b}; }

/// One of the optimizers, in double, with one update at a time.
class Arithmetic {
 public:
  Arithmetic(const model::Optimizer& optimizer, const Settings& settings)
      : optimizer_(optimizer), settings_(settings) {}

  void step(int index) {
    const double error = 2 * (weights_.w * x_of(index) + weights_.b - target_of(index));
    sum_ = sum_ + Pair{error * x_of(index), error};
    if (++steps_ % settings_.accumulate != 0) return;
    Pair gradient = 1.0 / static_cast<double>(settings_.accumulate) * sum_;
    sum_ = {0, 0};
    if (settings_.clip_norm > 0) {
      const double norm = std::hypot(gradient.w, gradient.b);
      gradient = std::min(1.0, settings_.clip_norm / (norm + 1e-6)) * gradient;
    }
    ++updates_;
    const Pair move = std::visit([&](const auto& method) { return moved(method, gradient); }, optimizer_);
    weights_ = weights_ + -rate_of(index) * (move + settings_.weight_decay * weights_);
  }

  [[nodiscard]] Pair weights() const { return weights_; }

 private:
  Pair moved(const model::Sgd& sgd, Pair gradient) { return first_ = sgd.momentum * first_ + gradient; }

  Pair moved(const model::Adam& adam, Pair gradient) {
    first_ = adam.beta1 * first_ + (1 - adam.beta1) * gradient;
    second_ = adam.beta2 * second_ + (1 - adam.beta2) * Pair{gradient.w * gradient.w, gradient.b * gradient.b};
    const Pair m = 1 / (1 - std::pow(adam.beta1, updates_)) * first_;
    const Pair v = 1 / (1 - std::pow(adam.beta2, updates_)) * second_;
    return {m.w / (std::sqrt(v.w) + adam.epsilon), m.b / (std::sqrt(v.b) + adam.epsilon)};
  }

  model::Optimizer optimizer_;
  Settings settings_;
  Pair weights_{1, 0}, sum_{0, 0}, first_{0, 0}, second_{0, 0};
  int steps_ = 0, updates_ = 0;
};

const std::vector<model::Optimizer> kLineOptimizers{model::Sgd{0.1}, model::Sgd{0.1, 0.9},
                                                    model::Adam{0.1, 0.9, 0.99, 0.01}, model::Adam{0.1, 0.9, 0.99, 0}};

model::Network line(const model::Optimizer& optimizer) {
  return {"line", {1}, {model::Dense{1}}, model::Loss::mse, optimizer};
}

std::vector<model::Tensor> one_and_zero() {
  return {{"0.kernel", {1, 1}, std::vector<float>{1}}, {"0.bias", {1}, std::vector<float>{0}}};
}

float value(const model::Tensor& tensor) { return std::get<std::vector<float>>(tensor.values)[0]; }

void expect_arithmetic(TestSettings settings) {
  settings.batch = 1;
  for (const model::Optimizer& optimizer : kLineOptimizers) {
    for (const Kernels kernels : all_kernels()) {
      for (const Mode mode : {Mode::eager, Mode::graph}) {
        settings.take(kernels);
        settings.mode = mode;
        const auto session = make_session(line(optimizer), one_and_zero(), settings);
        Arithmetic expected(optimizer, settings);
        for (int step = 0; step < kLineSteps; ++step) {
          if (step >= 5) session->set_learning_rate(rate_of(step));
          session->step({std::vector<float>{x_of(step)}, std::vector<float>{target_of(step)}, {}});
          expected.step(step);
          const auto weights = session->weights();
          EXPECT_NEAR(value(weights[0]), expected.weights().w, 3e-6) << step << ", optimizer " << optimizer.index();
          EXPECT_NEAR(value(weights[1]), expected.weights().b, 3e-6) << step << ", optimizer " << optimizer.index();
        }
      }
    }
  }
}

TEST(UpdateSettings, TheLearningRateHoldsFromTheNextStepOn) { expect_arithmetic({}); }

TEST(UpdateSettings, WeightDecayIsDecoupledAndTakesTheRateOfItsStep) {
  expect_arithmetic(Settings{.weight_decay = 0.3});
}

TEST(UpdateSettings, GradientsAreClippedByTheirNormTogether) {
  for (const double clip_norm : {0.4, 2.0, 100.0}) expect_arithmetic(Settings{.clip_norm = clip_norm});
}

TEST(UpdateSettings, SeveralStepsMakeOneUpdateWithTheMeanOfTheirGradients) {
  for (const std::int64_t accumulate : {2, 3}) expect_arithmetic(Settings{.accumulate = accumulate});
}

TEST(UpdateSettings, AllOfThemTogether) {
  expect_arithmetic(Settings{.weight_decay = 0.3, .clip_norm = 0.7, .accumulate = 2});
}

TEST(UpdateSettings, GradientsOfAnUpdateAreShownAsItReadThem) {
  const std::vector<float> x{3}, target{0};  // y = 3: gradients 18 and 6
  TestSettings settings(Settings{.batch = 1, .clip_norm = 1, .accumulate = 2});
  const auto session = make_session(line(model::Sgd{0}), one_and_zero(), settings);
  session->step({x, target, {}});
  EXPECT_FLOAT_EQ(value(session->gradients()[0]), 18);
  session->step({x, target, {}});
  EXPECT_FLOAT_EQ(value(session->gradients()[0]), 18 / std::sqrt(360.0F));
  EXPECT_FLOAT_EQ(value(session->gradients()[1]), 6 / std::sqrt(360.0F));
}

/// Weights of a few steps at rates that fall.
std::vector<float> trained(const model::Network& network, const OwnedBatch& batch, const TestSettings& settings) {
  const auto session = make_session(network, model::initial_weights(network, 3), settings);
  for (int step = 0; step < 6; ++step) {
    session->set_learning_rate(0.01 / (1 + step));
    session->step(batch.view());
  }
  std::vector<float> all;
  for (const auto& tensor : session->weights()) {
    const auto& values = std::get<std::vector<float>>(tensor.values);
    all.insert(all.end(), values.begin(), values.end());
  }
  return all;
}

TEST(UpdateSettings, LargeLayersAgreeWithTheReferenceInEveryModeAndTheModesInEveryBit) {
  using model::Activation;
  Random random(5);
  model::Network network{
      "wide", {210}, {model::Dense{190, Activation::tanh}, model::Dense{3}}, model::Loss::mse, model::Sgd{0.01, 0.9}};
  for (const model::Optimizer& optimizer :
       {model::Optimizer{model::Sgd{0.01, 0.9}}, model::Optimizer{model::Adam{0.01, 0.9, 0.99, 0.01}}}) {
    network.optimizer = optimizer;
    const OwnedBatch batch = random_batch(random, network, 16);
    TestSettings settings(Settings{.batch = 16, .weight_decay = 0.5, .clip_norm = 0.2, .accumulate = 2});
    settings.take(Kernels::reference);
    const std::vector<float> expected = trained(network, batch, settings);
    settings.take(Kernels::cpu);
    settings.mode = Mode::eager;
    const std::vector<float> eager = trained(network, batch, settings);
    for (std::size_t i = 0; i < expected.size(); ++i) ASSERT_NEAR(eager[i], expected[i], 2e-5) << i;
    for (const Mode mode : {Mode::eager, Mode::graph}) {
      for (const int threads : thread_counts()) {
        settings.mode = mode;
        settings.threads = threads;
        EXPECT_EQ(trained(network, batch, settings), eager) << threads;
      }
    }
  }
}

TEST(UpdateSettings, OneSampleAtATimeIsOneBatchOfAll) {
  Random random(test_seed());
  const model::Network network{"n", {7}, {model::Dense{5}, model::Dense{2}}, model::Loss::mse, model::Adam{0.01}};
  const OwnedBatch all = random_batch(random, network, 4);
  const auto weights = model::initial_weights(network, 3);
  const auto whole = make_session(network, weights, Settings{.batch = 4, .clip_norm = 1e3});
  const auto parts = make_session(network, weights, Settings{.batch = 1, .clip_norm = 1e3, .accumulate = 4});
  whole->step(all.view());
  for (std::size_t i = 0; i < 4; ++i) {
    parts->step({std::span(all.x).subspan(7 * i, 7), std::span(all.y_float).subspan(2 * i, 2), {}});
    if (i < 3) {
      EXPECT_EQ(parts->weights()[0].values, weights[0].values);
    }
  }
  for (std::size_t tensor = 0; tensor < weights.size(); ++tensor) {
    const auto expected = std::get<std::vector<float>>(whole->gradients()[tensor].values);
    const auto found = std::get<std::vector<float>>(parts->gradients()[tensor].values);
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 2e-6);
  }
}

TEST(UpdateSettings, AccumulatedStepsDrawDropoutOfTheirOwn) {
  const model::Network network{"n", {50}, {model::Dropout{0.5}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.1}};
  Random random(1);
  const OwnedBatch batch = random_batch(random, network, 1);
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    const auto session =
        make_session(network, model::initial_weights(network, 1), Settings{.mode = mode, .batch = 1, .accumulate = 3});
    const float first = session->step(batch.view());
    EXPECT_NE(session->step(batch.view()), first);
  }
}

TEST(UpdateSettings, LoadForgetsGradientsThatWaitForTheirUpdate) {
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    const auto session =
        make_session(line(model::Sgd{0.1}), one_and_zero(), Settings{.mode = mode, .batch = 1, .accumulate = 2});
    const std::vector<float> x{1}, target{0};  // y = 1: gradients 2
    session->step({x, std::vector<float>{9}, {}});
    session->load(one_and_zero());
    session->step({x, target, {}});
    EXPECT_EQ(value(session->weights()[0]), 1.0F);
    session->step({x, target, {}});
    EXPECT_FLOAT_EQ(value(session->weights()[0]), 0.8F);
  }
}

TEST(UpdateSettings, LoadBringsTheModelsLearningRateBack) {
  const auto session = make_session(line(model::Sgd{0.1}), one_and_zero(), Settings{.batch = 1});
  session->set_learning_rate(0);
  session->step({std::vector<float>{1}, std::vector<float>{0}, {}});
  EXPECT_EQ(value(session->weights()[0]), 1.0F);
  session->load(one_and_zero());
  session->step({std::vector<float>{1}, std::vector<float>{0}, {}});
  EXPECT_FLOAT_EQ(value(session->weights()[0]), 0.8F);
}

std::string update_refusal(const Settings& settings) {
  try {
    make_session(line(model::Sgd{0.1}), one_and_zero(), settings);
  } catch (const InputError& error) {
    return error.what();
  }
  return "accepted";
}

TEST(UpdateSettings, RefusesWhatCannotBe) {
  EXPECT_EQ(update_refusal({.weight_decay = -0.5}), "weight_decay is -0.5 (it must be finite and at least 0)");
  EXPECT_EQ(update_refusal({.clip_norm = -1}), "clip_norm is -1 (it must be finite and at least 0)");
  EXPECT_EQ(update_refusal({.clip_norm = std::numeric_limits<double>::quiet_NaN()}),
            "clip_norm is nan (it must be finite and at least 0)");
  EXPECT_EQ(update_refusal({.accumulate = 0}), "accumulate is 0 (it must be at least 1)");
  const auto session = make_session(line(model::Sgd{0.1}), one_and_zero(), Settings{.batch = 1});
  for (const double rate : {-0.1, 1e39, std::numeric_limits<double>::quiet_NaN()}) {
    EXPECT_THROW(session->set_learning_rate(rate), InputError) << rate;
  }
  session->step({std::vector<float>{1}, std::vector<float>{0}, {}});
  EXPECT_FLOAT_EQ(value(session->weights()[0]), 0.8F) << "refused rates changed nothing";
}

}  // namespace
}  // namespace regatta::engine
