#include "regatta/model/layers.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

Network network_with(std::vector<Layer> layers) { return {"odd", {4}, std::move(layers)}; }

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
    const std::string json = to_json(network_with({layer}));
    EXPECT_NE(json.find('"' + std::string(info(layer).name) + "\":"), std::string::npos) << json;
    for (const std::string_view option : info(layer).options)
      EXPECT_TRUE(option.empty() || json.find('"' + std::string(option) + "\":") != std::string::npos)
          << json << " lacks " << option;
  }
}

}  // namespace
}  // namespace regatta::model
