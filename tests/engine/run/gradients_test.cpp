// Gradients of whole models against central differences of their losses.
#include <algorithm>
#include <numeric>

#include "engine/support.hpp"

namespace regatta::engine {
namespace {

using model::Activation;

double loss_of(TestSession& session, const std::vector<model::Tensor>& weights, const OwnedBatch& batch) {
  session.load(weights);
  session.step(batch.view());
  const auto losses = session.sample_losses();
  return std::accumulate(losses.begin(), losses.end(), 0.0) / static_cast<double>(losses.size());
}

void expect_gradients(model::Network network, Kernels kernels) {
  constexpr std::int64_t kBatch = 5;
  constexpr float kStep = 4e-3F;  // truncation ~ kStep^2, rounding ~ 6e-8 loss / kStep: both below 3e-4
  Random random(7);
  network.optimizer = model::Sgd{0};
  const OwnedBatch batch = random_batch(random, network, kBatch);
  auto weights = model::initial_weights(network, 3);
  if (network.name == "rectifiers") {  // each hidden unit is clearly on or off: no kink inside a difference
    weights[1].values = std::vector<float>{4, -4, 4, -4, 4, -4, 4, -4, 4};
  }
  TestSettings settings;
  settings.batch = kBatch;
  settings.take(kernels);
  const auto session = make_session(network, weights, settings);
  loss_of(*session, weights, batch);
  const auto gradients = session->gradients();
  ASSERT_EQ(gradients.size(), weights.size());
  for (std::size_t tensor = 0; tensor < weights.size(); ++tensor) {
    const auto& gradient = std::get<std::vector<float>>(gradients[tensor].values);
    const std::size_t stride = gradient.size() / static_cast<std::size_t>(reduced(25)) + 1;
    for (std::size_t i = 0; i < gradient.size(); i += stride) {
      auto moved = weights;
      float& weight = std::get<std::vector<float>>(moved[tensor].values)[i];
      const float middle = weight;
      weight = middle + kStep;
      const double above = loss_of(*session, moved, batch);
      const double width = weight;
      weight = middle - kStep;
      const double below = loss_of(*session, moved, batch);
      const double slope = (above - below) / (width - weight);
      EXPECT_NEAR(gradient[i], slope, 3e-4 * std::max({1.0, above, std::abs(slope)}))
          << describe(network) << ": " << weights[tensor].name << '[' << i << ']';
    }
  }
}

void expect_gradients(const model::Network& network) {
  for (const Kernels kernels : all_kernels()) expect_gradients(network, kernels);
}

TEST(Gradients, DenseWithMeanSquaredError) {
  expect_gradients({"m",
                    {6},
                    {model::Dense{9, Activation::tanh}, model::Dense{4, Activation::sigmoid}, model::Dense{3}},
                    model::Loss::mse,
                    {}});
}

TEST(Gradients, DenseWithRectifiers) {
  expect_gradients({"rectifiers", {6}, {model::Dense{9, Activation::relu}, model::Dense{1}}, model::Loss::mse, {}});
}

TEST(Gradients, BinaryCrossEntropy) {
  expect_gradients({"m",
                    {6},
                    {model::Dense{9, Activation::tanh}, model::Dense{2, Activation::sigmoid}},
                    model::Loss::binary_crossentropy,
                    {}});
}

TEST(Gradients, CategoricalCrossEntropy) {
  expect_gradients({"m",
                    {6},
                    {model::Dense{9, Activation::sigmoid}, model::Dense{5, Activation::softmax}},
                    model::Loss::sparse_categorical_crossentropy,
                    {}});
}

TEST(Gradients, ConvolutionsWithPoolingAndDropout) {
  expect_gradients({"m",
                    {17, 3},
                    {model::Conv1d{5, 4, 2, model::Padding::same, Activation::tanh},
                     model::Conv1d{6, 3, 1, model::Padding::valid, Activation::sigmoid}, model::GlobalAveragePool{},
                     model::Dropout{0.4}, model::Dense{1, Activation::sigmoid}},
                    model::Loss::binary_crossentropy,
                    {}});
}

TEST(Gradients, ConvolutionsWithStridesBeyondTheirTaps) {
  expect_gradients(
      {"m",
       {20, 2},
       {model::Conv1d{4, 5, 3, model::Padding::same}, model::Conv1d{3, 2, 3, model::Padding::valid, Activation::tanh},
        model::Flatten{}, model::Dense{2}},
       model::Loss::mse,
       {}});
}

TEST(Gradients, DenseOnEveryPositionAndDropoutFirst) {
  expect_gradients({"m",
                    {7, 3},
                    {model::Dropout{0.2}, model::Dense{4, Activation::tanh}, model::Flatten{}, model::Dense{2}},
                    model::Loss::mse,
                    {}});
}

TEST(Gradients, ImagesWithPooling) {
  expect_gradients({"m",
                    {9, 8, 2},
                    {model::Conv2d{5, 3, 1, model::Padding::same, Activation::tanh}, model::AveragePool{2},
                     model::Conv2d{4, 2, 2, model::Padding::valid, Activation::sigmoid}, model::Flatten{},
                     model::Dense{3, Activation::softmax}},
                    model::Loss::sparse_categorical_crossentropy,
                    {}});
}

TEST(Gradients, ImagesWithStridesBeyondTheirTaps) {
  expect_gradients({"m",
                    {11, 9, 2},
                    {model::Conv2d{3, 3, 2, model::Padding::same}, model::Conv2d{4, 2, 3, model::Padding::same},
                     model::GlobalAveragePool{}, model::Dense{2}},
                    model::Loss::mse,
                    {}});
}

TEST(Gradients, TheLargestOfEachWindow) {  // small: in no window are the two largest within a difference of each other
  expect_gradients({"m",
                    {7, 3},
                    {model::Dense{3, Activation::tanh}, model::MaxPool{3}, model::Flatten{}, model::Dense{2}},
                    model::Loss::mse,
                    {}});
}

TEST(Gradients, RecurrentLayersInBothDirections) {
  for (const Activation activation : {Activation::tanh, Activation::sigmoid, Activation::none}) {
    expect_gradients({"m",
                      {5, 3},
                      {model::Bidirectional{{4, activation, true}}, model::Lstm{5, activation, true},
                       model::Bidirectional{{3, activation, false}}, model::Dense{1, Activation::sigmoid}},
                      model::Loss::binary_crossentropy,
                      {}});
  }
}

TEST(Gradients, EmbeddedWords) {
  expect_gradients({"m", {4}, {model::Embedding{6, 3}, model::Lstm{4}, model::Dense{2}}, model::Loss::mse, {}});
}

TEST(Gradients, NormalizationOverTheBatchAndOverARow) {
  expect_gradients({"m",
                    {6, 3},
                    {model::Dense{4, Activation::tanh}, model::BatchNorm{}, model::Conv1d{5, 2}, model::LayerNorm{},
                     model::Flatten{}, model::Dense{2}},
                    model::Loss::mse,
                    {}});
}

}  // namespace
}  // namespace regatta::engine
