#include "regatta/model/model.hpp"

#include <gtest/gtest.h>

namespace regatta::model {
namespace {

TEST(Model, HasANameWhateverItsKind) {
  EXPECT_EQ(name_of(Network{"odd", {13}, {Dense{2}}, Loss::mse, Sgd{0.1}}), "odd");
  EXPECT_EQ(name_of(Matmul{"product", 3}), "product");
  EXPECT_EQ(name_of(ScalarGradient{"derivative"}), "derivative");
  EXPECT_EQ(name_of(Noop{"nothing"}), "nothing");
}

TEST(Model, DiffersIfAnyPartDoes) {
  const Network network{"odd", {13}, {Dense{2}}, Loss::mse, Sgd{0.1}};
  Network other = network;
  EXPECT_EQ(Model(network), Model(other));
  other.layers.front() = Dense{2, Activation::relu};
  EXPECT_NE(Model(network), Model(other));
  other = network;
  other.optimizer = Adam{0.1};
  EXPECT_NE(Model(network), Model(other));
}

}  // namespace
}  // namespace regatta::model
