#include "model/layer_rules.hpp"

#include <gtest/gtest.h>

#include <set>

#include "regatta/model/catalogue.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::model {
namespace {

/// A layer and a shape that it reads.
struct Example {
  Layer layer;
  Shape input;
};

/// One of each kind, with values that are no defaults.
const std::vector<Example>& examples() {
  static const std::vector<Example> all = {
      {Dense{3, Activation::relu}, {5}},
      {Conv1d{3, 2, 2, Padding::same, Activation::tanh}, {7, 2}},
      {Conv2d{3, 2, 2, Padding::same, Activation::sigmoid}, {7, 6, 2}},
      {Lstm{4, Activation::sigmoid, true}, {5, 2}},
      {Bidirectional{Lstm{4, Activation::relu, true}}, {5, 2}},
      {MaxPool{2}, {7, 2}},
      {AveragePool{2}, {7, 6, 2}},
      {GlobalAveragePool{}, {7, 2}},
      {Flatten{}, {7, 2}},
      {Dropout{0.25}, {5}},
      {BatchNorm{0.9, 1e-5}, {7, 2}},
      {LayerNorm{}, {7, 2}},
      {Embedding{11, 4}, {5}},
  };
  return all;
}

/// By an operator of its own: flattening is none, and an index has no gradient.
bool passes_gradient_on(const Layer& layer) {
  return !std::holds_alternative<Flatten>(layer) && !std::holds_alternative<Embedding>(layer);
}

Network network_of(const Example& example) { return {"odd", example.input, {example.layer}, Loss::mse, Sgd{0.1}}; }

TEST(LayerRules, EachKindHasAnExample) {
  std::set<std::string_view> kinds;
  for (const Example& example : examples()) kinds.insert(info(example.layer).name);
  for (const LayerInfo& row : layer_table) EXPECT_TRUE(kinds.contains(row.name)) << row.name << ": add an example";
}

TEST(LayerRules, EachKindComesBackFromItsJson) {
  for (const Example& example : examples()) {
    Network network = network_of(example);
    if (infer_shapes(network).back().size() > 1) network.layers.emplace_back(Flatten{});
    EXPECT_EQ(parse_model(to_json(network)), Model(network)) << to_json(network);
  }
}

TEST(LayerRules, ALayerWithParametersIsAnOperatorOfItsOwnAndOthersAreNone) {
  for (const Example& example : examples()) {
    const Network network = network_of(example);
    const Shape output = output_of(example.layer, {network, 0, example.input});
    EXPECT_GT(element_count(output), 0);
    const LayerWork work = work_of(example.layer, {example.input, output, true, true});
    EXPECT_EQ(work.fused_forward > 0, !parameters_of(example.layer, example.input).empty()) << info(example.layer).name;
  }
}

TEST(LayerRules, TheGradientOfAnInputAddsBackwardOperatorsAndNothingElse) {
  for (const Example& example : examples()) {
    const Network network = network_of(example);
    const Shape output = output_of(example.layer, {network, 0, example.input});
    const LayerWork without = work_of(example.layer, {example.input, output, true, false});
    const LayerWork with = work_of(example.layer, {example.input, output, true, true});
    EXPECT_EQ(without.eager_backward < with.eager_backward, passes_gradient_on(example.layer))
        << info(example.layer).name;
    EXPECT_EQ(without.multiply_adds, with.multiply_adds) << info(example.layer).name;
    EXPECT_EQ(without.eager_forward, with.eager_forward) << info(example.layer).name;
    EXPECT_EQ(without.fused_forward, with.fused_forward) << info(example.layer).name;
  }
}

}  // namespace
}  // namespace regatta::model
