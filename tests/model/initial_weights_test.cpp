#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::model {
namespace {

const std::vector<float>& floats(const Tensor& tensor) { return std::get<std::vector<float>>(tensor.values); }

Network network_of(Shape input, std::vector<Layer> layers) {
  return {"odd", std::move(input), std::move(layers), Loss::mse, Sgd{0.1}};
}

TEST(InitialWeights, HaveTheNamesAndShapesOfTheParameters) {
  for (const char* name : {"conv1d-small", "digits-mlp", "cnn-28"}) {
    const auto network = std::get<Network>(*find_model(name, 140));
    const std::vector<Tensor> weights = initial_weights(network, 3);
    const std::vector<Parameter> expected = parameters(network);
    ASSERT_EQ(weights.size(), expected.size());
    for (std::size_t i = 0; i < weights.size(); ++i) {
      EXPECT_EQ(weights[i].name, expected[i].name);
      EXPECT_EQ(weights[i].shape, expected[i].shape);
      EXPECT_EQ(floats(weights[i]).size(), static_cast<std::size_t>(element_count(expected[i].shape)));
    }
  }
}

TEST(InitialWeights, OfASeedAreTheseForEver) {
  const std::vector<Tensor> weights = initial_weights(network_of({2}, {Dense{2}}), 7);
  const std::vector<float> expected{-0x1.101df60000000p-5F, -0x1.a7eef20000000p-3F, -0x1.68076a0000000p-2F,
                                    -0x1.0903e80000000p+0F};
  EXPECT_EQ(floats(weights.front()), expected);
}

TEST(InitialWeights, DependOnSeedAndTensor) {
  const Network network = network_of({8}, {Dense{8}, Dense{8}});
  const std::vector<Tensor> first = initial_weights(network, 1);
  EXPECT_EQ(floats(first[0]), floats(initial_weights(network, 1)[0]));
  EXPECT_NE(floats(first[0]), floats(initial_weights(network, 2)[0]));
  EXPECT_NE(floats(first[0]), floats(first[2]));
}

/// Kernels of several thousand values fill their interval evenly.
void expect_uniform(const Tensor& kernel, double limit) {
  SCOPED_TRACE(kernel.name);
  const std::vector<float>& values = floats(kernel);
  double sum = 0;
  double squares = 0;
  for (const float value : values) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(values.size());
  const double deviation = limit / std::sqrt(3.0);
  EXPECT_NEAR(sum / count, 0, 4 * deviation / std::sqrt(count));
  EXPECT_NEAR(std::sqrt(squares / count), deviation, 4 * deviation / std::sqrt(count));
  const auto [low, high] = std::minmax_element(values.begin(), values.end());
  EXPECT_GE(*low, -limit * (1 + 1e-6));
  EXPECT_LE(*high, limit * (1 + 1e-6));
  EXPECT_LT(*low, -0.99 * limit);
  EXPECT_GT(*high, 0.99 * limit);
}

TEST(InitialWeights, AreGlorotUniformWithTheTapsInBothFans) {
  const std::vector<Tensor> convolution = initial_weights(network_of({50, 30}, {Conv1d{40, 5}}), 1);
  expect_uniform(convolution[0], std::sqrt(6.0 / (5 * 30 + 5 * 40)));
  const std::vector<Tensor> image = initial_weights(network_of({9, 9, 20}, {Conv2d{30, 3}}), 1);
  expect_uniform(image[0], std::sqrt(6.0 / (9 * 20 + 9 * 30)));
  const std::vector<Tensor> dense = initial_weights(network_of({80}, {Dense{60}}), 1);
  expect_uniform(dense[0], std::sqrt(6.0 / (80 + 60)));
  const std::vector<Tensor> lstm = initial_weights(network_of({9, 40}, {Lstm{30}}), 1);
  expect_uniform(lstm[0], std::sqrt(6.0 / (40 + 120)));
  expect_uniform(lstm[1], std::sqrt(6.0 / (30 + 120)));
}

TEST(InitialWeights, AreZeroInBiasesAndOneInGamma) {
  const std::vector<Tensor> weights =
      initial_weights(network_of({4, 3}, {Lstm{2, Activation::tanh, true}, LayerNorm{}}), 1);
  EXPECT_EQ(floats(weights[2]), std::vector<float>(8, 0.0F));  // 0.bias
  EXPECT_EQ(floats(weights[3]), std::vector<float>(2, 1.0F));  // 1.gamma
  EXPECT_EQ(floats(weights[4]), std::vector<float>(2, 0.0F));  // 1.beta
}

}  // namespace
}  // namespace regatta::model
