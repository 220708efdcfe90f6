// Updates against numbers worked by hand. The model is y = w x + b with one weight: x = 1, target 0,
// w = 1, b = 0, so y = 1, loss = 1 and both gradients are 2 y = 2.
#include "engine/support.hpp"

namespace regatta::engine {
namespace {

std::unique_ptr<TestSession> one_weight(const model::Optimizer& optimizer, Kernels kernels) {
  const model::Network network{"line", {1}, {model::Dense{1}}, model::Loss::mse, optimizer};
  TestSettings settings;
  settings.batch = 1;
  settings.take(kernels);
  return make_session(network, {{"0.kernel", {1, 1}, std::vector<float>{1}}, {"0.bias", {1}, std::vector<float>{0}}},
                      settings);
}

float weight(const TestSession& session, std::size_t index = 0) {
  return std::get<std::vector<float>>(session.weights()[index].values)[0];
}

const std::vector<float> kOne{1}, kZero{0};

class Optimizers : public testing::TestWithParam<Kernels> {};

TEST_P(Optimizers, StochasticGradientDescent) {
  const auto session = one_weight(model::Sgd{0.1}, GetParam());
  EXPECT_FLOAT_EQ(session->step({kOne, kZero, {}}), 1.0F);
  EXPECT_FLOAT_EQ(weight(*session), 0.8F);                   // 1 - 0.1 * 2
  EXPECT_FLOAT_EQ(weight(*session, 1), -0.2F);               // 0 - 0.1 * 2
  EXPECT_FLOAT_EQ(session->step({kOne, kZero, {}}), 0.36F);  // (0.8 - 0.2)^2
  EXPECT_FLOAT_EQ(weight(*session), 0.68F);                  // 0.8 - 0.1 * 1.2
}

TEST_P(Optimizers, Momentum) {
  const auto session = one_weight(model::Sgd{0.1, 0.9}, GetParam());
  session->step({kOne, kZero, {}});
  EXPECT_FLOAT_EQ(weight(*session), 0.8F);
  session->step({kOne, kZero, {}});
  EXPECT_FLOAT_EQ(weight(*session), 0.5F);  // v = 0.9 * 2 + 1.2 = 3; 0.8 - 0.3
}

TEST_P(Optimizers, Adam) {
  // Step 1: m = 0.2, v = 0.004; mhat = 2, vhat = 4; w = 1 - 0.1 * 2 / (2 + 0.5) = 0.92, b = -0.08.
  const auto session = one_weight(model::Adam{0.1, 0.9, 0.999, 0.5}, GetParam());
  session->step({kOne, kZero, {}});
  EXPECT_FLOAT_EQ(weight(*session), 0.92F);
  EXPECT_FLOAT_EQ(weight(*session, 1), -0.08F);
  // Step 2: g = 2 * 0.84 = 1.68; m = 0.18 + 0.168 = 0.348, mhat = 0.348 / 0.19 = 1.8315789;
  // v = 0.003996 + 0.0028224 = 0.0068184, vhat = 0.0068184 / 0.001999 = 3.4109055, root 1.8468637;
  // w = 0.92 - 0.1 * 1.8315789 / 2.3468637 = 0.8419559.
  session->step({kOne, kZero, {}});
  EXPECT_NEAR(weight(*session), 0.8419559, 1e-6);
}

TEST_P(Optimizers, EpsilonIsAddedToTheRootAlsoWhereGradientsAreTiny) {
  // The gradient is 2e-10: w = 1 - 0.1 * 2e-10 / (2e-10 + 1e-7) for the bias.
  const auto session = one_weight(model::Adam{0.1, 0.9, 0.999, 1e-7}, GetParam());
  const std::vector<float> x{0};
  const std::vector<float> target{-1e-10F};
  session->step({x, target, {}});
  EXPECT_NEAR(weight(*session, 1), -0.1 * 2e-10 / (2e-10 + 1e-7), 1e-8);
}

TEST_P(Optimizers, LoadClearsMomentsAndStepCount) {
  for (const model::Optimizer& optimizer :
       {model::Optimizer{model::Sgd{0.1, 0.9}}, model::Optimizer{model::Adam{0.1}}}) {
    const auto session = one_weight(optimizer, GetParam());
    const auto start = session->weights();
    session->step({kOne, kZero, {}});
    session->step({kOne, kZero, {}});
    const float after_two = weight(*session);
    session->load(start);
    EXPECT_EQ(weight(*session), 1.0F);
    session->step({kOne, kZero, {}});
    session->step({kOne, kZero, {}});
    EXPECT_EQ(weight(*session), after_two);
  }
}

INSTANTIATE_TEST_SUITE_P(Kernels, Optimizers, testing::Values(Kernels::reference, Kernels::cpu, Kernels::plugin));

}  // namespace
}  // namespace regatta::engine
