#include "regatta/model/layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

Network network_of(std::vector<Layer> layers, Loss loss = Loss::mse) { return {"odd", {4}, std::move(layers), loss}; }

TEST(Layers, RowsStandInTheOrderOfTheAlternatives) {
  EXPECT_EQ(layer_table.size(), std::variant_size_v<Layer>);
  EXPECT_EQ(info(Dense{1}).name, "dense");
  EXPECT_EQ(info(Flatten{}).name, "flatten");
  EXPECT_EQ(info(Embedding{1, 1}).name, "embedding");
}

TEST(Layers, NamesAreDifferent) {
  std::set<std::string_view> names;
  for (const LayerInfo& row : layer_table) names.insert(row.name);
  EXPECT_EQ(names.size(), layer_table.size());
}

TEST(Layers, ALayerIsWrittenWithAllItsKeys) {
  const std::vector<Layer> layers = {Dense{2}, Conv1d{2, 1}, Conv2d{2, 1}, Lstm{2}, Embedding{9, 2}, Dropout{0.5}};
  for (const Layer& layer : layers) {
    const std::string json = to_json(network_of({layer}));
    EXPECT_NE(json.find('"' + std::string(info(layer).name) + "\":"), std::string::npos) << json;
    for (const std::string_view option : info(layer).options)
      EXPECT_TRUE(option.empty() || json.find('"' + std::string(option) + "\":") != std::string::npos)
          << json << " lacks " << option;
  }
}

TEST(Layers, ACrossEntropyIsComputedFromALastDenseLayerWithItsActivation) {
  const Dense softmax{3, Activation::softmax};
  EXPECT_TRUE(ends_as_loss_needs(network_of({softmax}, Loss::sparse_categorical_crossentropy)));
  EXPECT_TRUE(ends_as_loss_needs(network_of({softmax})));
  EXPECT_FALSE(ends_as_loss_needs(network_of({Dense{3}}, Loss::sparse_categorical_crossentropy)));
  EXPECT_FALSE(ends_as_loss_needs(network_of({softmax}, Loss::binary_crossentropy)));
  EXPECT_FALSE(ends_as_loss_needs(network_of({softmax, Flatten{}}, Loss::sparse_categorical_crossentropy)));
}

TEST(Layers, ActivationsOfRecurrentLayersStandInside) {
  const Lstm lstm{3, Activation::softmax};
  EXPECT_EQ(activation_of(lstm), std::nullopt);
  EXPECT_EQ(inner_activation_of(lstm), Activation::softmax);
  EXPECT_EQ(inner_activation_of(Bidirectional{lstm}), Activation::softmax);
  EXPECT_EQ(activation_of(Conv1d{1, 1, 1, Padding::same, Activation::relu}), Activation::relu);
  EXPECT_EQ(inner_activation_of(Dense{1}), std::nullopt);
}

TEST(Layers, TheFirstLayerWithProductsInFp32AloneIsFound) {
  EXPECT_EQ(first_in_fp32(network_of({Conv1d{1, 1}, Flatten{}, Dense{1}})), std::nullopt);
  EXPECT_EQ(first_in_fp32(network_of({Dense{1}, Bidirectional{Lstm{1}}})), 1U);
  EXPECT_EQ(layers_in_bf16(), "dense and conv1d");
}

}  // namespace
}  // namespace regatta::model
