#include "regatta/data/batches.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "regatta/base/error.hpp"
#include "regatta/data/shipped.hpp"
#include "regatta/model/catalogue.hpp"
#include "support/places.hpp"

namespace regatta::data {
namespace {

using model::Shape;
using model::Tensor;

const std::filesystem::path datasets_folder = std::filesystem::path(support::source_folder()) / "datasets";

const std::vector<float>& floats(const Tensor& tensor) { return std::get<std::vector<float>>(tensor.values); }
const std::vector<std::int32_t>& integers(const Tensor& tensor) {
  return std::get<std::vector<std::int32_t>>(tensor.values);
}

std::vector<Tensor> synthetic(const std::string& name, std::int64_t batch, std::uint64_t seed = 0,
                              std::int64_t length = 140) {
  return make_batches(*model::find_model(name, length), {"synthetic", {}, batch, seed});
}

std::vector<Tensor> digits(const model::Model& model, std::int64_t batch) {
  return make_batches(model, {"digits", datasets_folder, batch, 0});
}

std::string error_of(const model::Model& model, const BatchSource& source) {
  try {
    make_batches(model, source);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(SyntheticBatches, SuitEachLoss) {
  const std::vector<Tensor> classes = synthetic("mlp-784", 32);
  EXPECT_EQ(classes[0].shape, (Shape{8, 32, 784}));
  EXPECT_EQ(classes[1].shape, (Shape{8, 32}));
  const auto [lowest, highest] = std::minmax_element(integers(classes[1]).begin(), integers(classes[1]).end());
  EXPECT_EQ(*lowest, 0);
  EXPECT_EQ(*highest, 9);

  const std::vector<Tensor> binary = synthetic("conv1d-small", 32);
  EXPECT_EQ(binary[0].shape, (Shape{8, 32, 140, 30}));
  EXPECT_EQ(binary[1].shape, (Shape{8, 32, 1}));
  const auto ones = std::count(floats(binary[1]).begin(), floats(binary[1]).end(), 1.0F);
  const auto zeros = std::count(floats(binary[1]).begin(), floats(binary[1]).end(), 0.0F);
  EXPECT_EQ(ones + zeros, 256);
  EXPECT_NEAR(static_cast<double>(ones), 128, 4 * 8);  // four standard deviations

  const std::vector<Tensor> real = synthetic("mlp-10", 1000);
  EXPECT_EQ(real[0].shape, (Shape{8, 1000, 10}));
  EXPECT_EQ(real[1].shape, (Shape{8, 1000, 1}));
  EXPECT_NE(floats(real[1])[0], floats(real[1])[1]);
}

TEST(SyntheticBatches, HaveMeanZeroAndVarianceOne) {
  const std::vector<Tensor> batches = synthetic("mlp-10", 1000);
  double sum = 0;
  double squares = 0;
  for (const float value : floats(batches[0])) {
    sum += static_cast<double>(value);
    squares += static_cast<double>(value) * static_cast<double>(value);
  }
  const auto count = static_cast<double>(floats(batches[0]).size());
  EXPECT_NEAR(sum / count, 0, 4 / std::sqrt(count));
  EXPECT_NEAR(squares / count, 1, 6 / std::sqrt(count));
}

TEST(SyntheticBatches, ArePureFunctionsOfTheSeed) {
  const std::vector<Tensor> first = synthetic("mlp-10", 4, 5);
  EXPECT_EQ(floats(first[0]), floats(synthetic("mlp-10", 4, 5)[0]));
  EXPECT_NE(floats(first[0]), floats(synthetic("mlp-10", 4, 6)[0]));
  EXPECT_EQ(floats(first[0])[0], -0x1.182c380000000p-1F);
  EXPECT_EQ(floats(first[0])[1], -0x1.2babfe0000000p-1F);
}

TEST(SyntheticBatches, AreFewerWhenTheyAreLarge) {
  EXPECT_EQ(synthetic("conv1d-small", 32, 0, 1400)[0].shape.front(), 8);
  EXPECT_EQ(synthetic("conv1d-small", 32, 0, 14000)[0].shape.front(), 1);
  EXPECT_EQ(synthetic("mlp-784", 8192)[0].shape.front(), 2);
}

TEST(SyntheticBatches, OfAnEmbeddingAreIndices) {
  const model::Network network{
      "words", {20}, {model::Embedding{7, 4}, model::Flatten{}, model::Dense{1}}, model::Loss::mse, model::Sgd{0.1}};
  const std::vector<Tensor> batches = make_batches(network, {"synthetic", {}, 32, 0});
  const auto [lowest, highest] = std::minmax_element(integers(batches[0]).begin(), integers(batches[0]).end());
  EXPECT_EQ(*lowest, 0);
  EXPECT_EQ(*highest, 6);
}

TEST(Batches, OfModelsThatAreNoNetworks) {
  const std::vector<Tensor> product = synthetic("matmul-1000", 32);
  EXPECT_EQ(product[0].shape, (Shape{1, 1000, 1000}));
  EXPECT_EQ(product[1].shape, (Shape{1, 1000, 1000}));
  EXPECT_NE(floats(product[0]), floats(product[1]));
  const std::vector<Tensor> scalar = synthetic("scalar-gradient", 32);
  EXPECT_EQ(floats(scalar[0]), std::vector<float>{2.0F});
  EXPECT_TRUE(synthetic("noop", 32).empty());
}

TEST(DigitsBatches, AreTheRowsInOrderScaledToOne) {
  const std::vector<Tensor> batches = digits(*model::find_model("digits-mlp", 0), 32);
  const ShippedArrays all = read_shipped(datasets_folder / "digits", *model::find_shipped_dataset("digits"));
  ASSERT_EQ(batches[0].shape, (Shape{8, 32, 64}));
  ASSERT_EQ(batches[1].shape, (Shape{8, 32}));
  for (std::size_t i = 0; i < floats(batches[0]).size(); ++i) {
    ASSERT_EQ(floats(batches[0])[i] * 16, static_cast<float>(all.samples.first[i])) << i;
  }
  for (std::size_t i = 0; i < integers(batches[1]).size(); ++i)
    ASSERT_EQ(integers(batches[1])[i], static_cast<int>(all.labels.first[i]));
}

TEST(DigitsBatches, SayWhatMakesThemOfTheirBytes) {
  const std::vector<Tensor> batches = digits(*model::find_model("digits-mlp", 0), 32);
  EXPECT_EQ(floats(model::tensor_named(batches, scale_of_x)), std::vector<float>{1.0F / 16});
  EXPECT_EQ(synthetic("digits-mlp", 32).size(), 2U) << "these are no bytes";
}

TEST(DigitsBatches, BeginAgainAfterTheLastRow) {
  const std::vector<Tensor> batches = digits(*model::find_model("digits-mlp", 0), 1000);
  const std::vector<float>& x = floats(batches[0]);
  EXPECT_TRUE(std::equal(x.begin(), x.begin() + 64 * 1000, x.begin() + 64 * 1797));
  EXPECT_EQ(integers(batches[1])[1797], integers(batches[1])[0]);
  EXPECT_EQ(integers(batches[1])[1798], integers(batches[1])[1]);
}

TEST(DigitsBatches, TakeTheShapeThatTheModelReads) {
  const model::Network network{"image",
                               {8, 8, 1},
                               {model::Conv2d{4, 3}, model::Flatten{}, model::Dense{10, model::Activation::softmax}},
                               model::Loss::sparse_categorical_crossentropy,
                               model::Sgd{0.1}};
  EXPECT_EQ(digits(network, 16)[0].shape, (Shape{8, 16, 8, 8, 1}));
}

TEST(JapaneseVowelsDataSet, HasThePartsOfItsSource) {
  const model::Network network{"speakers",
                               {29, 12},
                               {model::Conv1d{4, 3}, model::Flatten{}, model::Dense{9, model::Activation::softmax}},
                               model::Loss::sparse_categorical_crossentropy,
                               model::Sgd{0.1}};
  const std::vector<Tensor> parts = make_data_set(network, {"japanese-vowels", datasets_folder, 32, 0});
  EXPECT_EQ(parts[0].shape, (Shape{270, 29, 12}));
  EXPECT_EQ(parts[2].shape, (Shape{370, 29, 12}));
  EXPECT_EQ(floats(parts[0])[0], 1.860936F);
  EXPECT_EQ(integers(parts[1])[29], 0);  // thirty of each class, one class after the other
  EXPECT_EQ(integers(parts[1])[30], 1);
  EXPECT_EQ(integers(parts[3])[0], 0);
  EXPECT_EQ(integers(parts[3])[31], 1);
}

TEST(Batches, SayWhatDoesNotFit) {
  EXPECT_EQ(error_of(*model::find_model("mlp-784", 0), {"digits", datasets_folder, 32, 0}),
            "mlp-784: dataset digits does not fit (it needs 64 inputs (flat or 8 x 8), at least 10 outputs and "
            "sparse_categorical_crossentropy; the model reads (784) and yields (10)); use such a model or the dataset "
            "synthetic");
  const model::Network regression{"regression", {64}, {model::Dense{10}}, model::Loss::mse, model::Sgd{0.1}};
  EXPECT_THAT(error_of(regression, {"digits", datasets_folder, 32, 0}), testing::HasSubstr("does not fit"));
  EXPECT_EQ(error_of(*model::find_model("mlp-10", 0), {"mnist", datasets_folder, 32, 0}),
            "dataset \"mnist\" is unknown; expected \"synthetic\" or \"digits\" or \"japanese-vowels\"");
  EXPECT_EQ(error_of(*model::find_model("mlp-10", 0), {"synthetic", {}, 0, 0}),
            "batch is 0 (a step needs at least one sample); correct it");
  EXPECT_EQ(error_of(*model::find_model("mlp-10", 0), {"synthetic", {}, 1'000'000'000, 0}),
            "mlp-10: a batch of shape (1000000000, 10) takes 37.3 GiB (the limit is 16.0 GiB); use a smaller one");
}

}  // namespace
}  // namespace regatta::data
