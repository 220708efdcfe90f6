#include "regatta/model/catalogue.hpp"

#include <gtest/gtest.h>

namespace regatta::model {
namespace {

TEST(Catalogue, ResolvesEveryNameToAModelOfThatName) {
  const std::vector<std::string> expected{"conv1d-small",    "conv1d-medium", "conv1d-large",    "conv1d-question",
                                          "bilstm-question", "mlp-784",       "mlp-10",          "cnn-28",
                                          "digits-mlp",      "matmul-1000",   "scalar-gradient", "noop"};
  EXPECT_EQ(model_names(), expected);
  for (const std::string& name : expected) {
    const std::optional<Model> model = find_model(name, 1400);
    ASSERT_TRUE(model.has_value()) << name;
    EXPECT_EQ(name_of(*model), name);
  }
}

TEST(Catalogue, KnowsNoOtherName) {
  EXPECT_FALSE(find_model("conv1d", 1400).has_value());
  EXPECT_FALSE(find_model("", 1400).has_value());
  EXPECT_FALSE(reads_length("conv1d"));
}

TEST(Catalogue, SaysWhichModelsReadTheLength) {
  for (const std::string& name : model_names()) {
    const bool differs = find_model(name, 1400) != find_model(name, 14000);
    EXPECT_EQ(reads_length(name), differs) << name;
  }
  EXPECT_TRUE(reads_length("conv1d-small"));
}

TEST(Catalogue, HoldsTheOptimizersThatTheQuestionsUsed) {
  EXPECT_EQ(std::get<Network>(*find_model("conv1d-large", 1400)).optimizer, Optimizer(Adam{1e-4}));
  EXPECT_EQ(std::get<Network>(*find_model("mlp-784", 1400)).optimizer, Optimizer(Adam{1e-3}));
  EXPECT_EQ(std::get<Network>(*find_model("mlp-10", 1400)).optimizer, Optimizer(Sgd{0.01}));
  EXPECT_EQ(std::get<Network>(*find_model("digits-mlp", 1400)).optimizer, Optimizer(Adam{0.01}));
}

}  // namespace
}  // namespace regatta::model
