#include "regatta/model/shapes.hpp"

#include <gtest/gtest.h>

#include "regatta/base/error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

Network with_layers(Shape input, std::vector<Layer> layers) {
  return {"odd", std::move(input), std::move(layers), Loss::mse, Sgd{0.1}};
}

std::string error_of(const Network& network) {
  try {
    infer_shapes(network);
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Shapes, FollowEachLayerOfTheMediumModel) {
  const auto network = std::get<Network>(*find_model("conv1d-medium", 140));
  const std::vector<Shape> expected{{140, 30}, {121, 64}, {102, 128}, {83, 256}, {64, 256}, {45, 128}, {26, 64},
                                    {64},      {256},     {256},      {128},     {64},      {1}};
  EXPECT_EQ(infer_shapes(network), expected);
}

TEST(Shapes, FollowEachLayerOfTheImageModel) {
  const auto network = std::get<Network>(*find_model("cnn-28", 140));
  const std::vector<Shape> expected{{28, 28, 1}, {26, 26, 32}, {13, 13, 32}, {11, 11, 64},
                                    {5, 5, 64},  {1600},       {1600},       {10}};
  EXPECT_EQ(infer_shapes(network), expected);
}

TEST(Shapes, OfPaddingSameRoundUp) {
  EXPECT_EQ(infer_shapes(with_layers({141, 2}, {Conv1d{3, 40, 4, Padding::same}})).back(), (Shape{36, 3}));
  EXPECT_EQ(infer_shapes(with_layers({7, 9, 2}, {Conv2d{3, 20, 2, Padding::same}})).back(), (Shape{4, 5, 3}));
}

TEST(Shapes, OfAWindowAsLongAsItsInputAreOnePosition) {
  EXPECT_EQ(infer_shapes(with_layers({40, 2}, {Conv1d{3, 40, 4}})).back(), (Shape{1, 3}));
  EXPECT_EQ(infer_shapes(with_layers({40, 2}, {MaxPool{40}})).back(), (Shape{1, 2}));
}

TEST(Shapes, OfRecurrentLayersDependOnReturnSequences) {
  EXPECT_EQ(infer_shapes(with_layers({9, 4}, {Lstm{5}})).back(), (Shape{5}));
  EXPECT_EQ(infer_shapes(with_layers({9, 4}, {Lstm{5, Activation::tanh, true}})).back(), (Shape{9, 5}));
  EXPECT_EQ(infer_shapes(with_layers({9, 4}, {Bidirectional{Lstm{5}}})).back(), (Shape{10}));
}

TEST(Shapes, OfEmbeddingNormalizationAndDenseOverPositions) {
  EXPECT_EQ(infer_shapes(with_layers({9}, {Embedding{100, 4}, LayerNorm{}, BatchNorm{}, Dense{7}})).back(),
            (Shape{9, 7}));
}

TEST(Shapes, NameTheModelAndTheKernelThatDoesNotFit) {
  EXPECT_EQ(
      error_of(std::get<Network>(*find_model("conv1d-large", 140))),
      "conv1d-large at length 140: kernel 400 is longer than its input of 140 in layer 0 (conv1d); give a longer input "
      "or a shorter kernel");
  EXPECT_EQ(error_of(std::get<Network>(*find_model("conv1d-medium", 100))),
            "conv1d-medium at length 100: kernel 20 is longer than its input of 5 in layer 5 (conv1d); give a longer "
            "input or "
            "a shorter kernel");
  EXPECT_EQ(error_of(with_layers({2, 5, 1}, {MaxPool{3}})),
            "odd with input (2, 5, 1): window 3 is longer than its input of 2 in layer 0 (max_pool); give a longer "
            "input or a "
            "shorter window");
}

TEST(Shapes, SayWhatALayerReads) {
  EXPECT_EQ(
      error_of(with_layers({13}, {Dense{3}, Conv1d{3, 2}})),
      "odd: layer 1 (conv1d): its input has shape (3) (it reads (length, channels)); put a layer before it that yields "
      "such a shape");
  EXPECT_EQ(error_of(with_layers({13}, {Dense{0}})),
            "odd: layer 0 (dense): units is 0 (a size lies between 1 and 2147483647); correct it");
  EXPECT_EQ(error_of(with_layers({13}, {Dropout{1.0}})),
            "odd: layer 0 (dropout): rate is 1 (it is the share of units dropped: at least 0, below 1); correct it");
  EXPECT_EQ(
      error_of(with_layers({13}, {Dense{4}, Embedding{10, 2}})),
      "odd: layer 1 (embedding): it reads indices (a layer before it yields real numbers); make it the first layer");
  EXPECT_EQ(error_of(with_layers({}, {Dense{4}})),
            "odd: input has shape () (it needs 1 to 3 axes of at least 1, without the batch); correct it");
}

std::size_t pooled(std::vector<Layer> layers) { return pooled_convolutions(with_layers({20, 3}, std::move(layers))); }

TEST(Shapes, PoolingCommutesWithTheConvolutionsInFrontOfItThatHaveNoActivation) {
  const Conv1d valid{4, 3}, same{4, 3, 1, Padding::same}, strided{4, 3, 2};
  const Conv1d relu{4, 3, 1, Padding::valid, Activation::relu};
  EXPECT_EQ(pooled({valid, strided, GlobalAveragePool{}, Dense{1}}), 2U);
  EXPECT_EQ(pooled({same, valid, GlobalAveragePool{}}), 2U);
  EXPECT_EQ(pooled({valid, same, GlobalAveragePool{}}), 0U);
  EXPECT_EQ(pooled({valid, relu, GlobalAveragePool{}}), 0U);
  EXPECT_EQ(pooled({valid, valid}), 0U);
  EXPECT_EQ(pooled({valid, Flatten{}, Dense{1}}), 0U);
  EXPECT_EQ(pooled({GlobalAveragePool{}, Dense{1}}), 0U);
}

TEST(Shapes, RefuseWhatNoMachineHolds) {
  const std::int64_t huge = (std::int64_t{1} << 31) - 1;
  EXPECT_THROW(infer_shapes(with_layers({huge, huge}, {Flatten{}})), InputError);
  EXPECT_THROW(parameters(with_layers({huge}, {Dense{huge}})), InputError);
  EXPECT_THROW(element_count({huge, huge, huge}), InputError);
  EXPECT_THROW(element_count({-1}), InputError);
  EXPECT_EQ(element_count({}), 1);
  EXPECT_EQ(element_count({3, 0, 5}), 0);
}

TEST(Parameters, AreListedInLayerOrderWithTheirShapes) {
  const Network network = with_layers(
      {9, 4}, {Bidirectional{Lstm{5, Activation::tanh, true}}, Conv1d{3, 2}, BatchNorm{}, Flatten{}, Dense{6}});
  std::vector<std::pair<std::string, Shape>> found;
  for (const Parameter& parameter : parameters(network)) found.emplace_back(parameter.name, parameter.shape);
  const std::vector<std::pair<std::string, Shape>> expected{
      {"0.forward.kernel", {4, 20}},
      {"0.forward.recurrent_kernel", {5, 20}},
      {"0.forward.bias", {20}},
      {"0.backward.kernel", {4, 20}},
      {"0.backward.recurrent_kernel", {5, 20}},
      {"0.backward.bias", {20}},
      {"1.kernel", {2, 10, 3}},
      {"1.bias", {3}},
      {"2.gamma", {3}},
      {"2.beta", {3}},
      {"4.kernel", {24, 6}},
      {"4.bias", {6}},
  };
  EXPECT_EQ(found, expected);
}

TEST(Parameters, OfTwoDimensionalConvolutionAndEmbedding) {
  const std::vector<Parameter> convolution = parameters(with_layers({9, 8, 4}, {Conv2d{5, 3}}));
  EXPECT_EQ(convolution.front().shape, (Shape{3, 3, 4, 5}));
  const std::vector<Parameter> embedding = parameters(with_layers({9}, {Embedding{100, 4}}));
  EXPECT_EQ(embedding.front().name, "0.kernel");
  EXPECT_EQ(embedding.front().shape, (Shape{100, 4}));
}

}  // namespace
}  // namespace regatta::model
