#include "regatta/model/places.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "json/input_error.hpp"
#include "regatta/model/catalogue.hpp"

namespace regatta::model {
namespace {

Model small() {
  return parse_model(R"({"name": "small", "input": [4], "layers": [{"dense": 8, "activation": "relu"}, {"dense": 2}],
                         "loss": "mse", "optimizer": {"adam": {"learning_rate": 0.01}}})");
}

TEST(Places, AreKeysAndPositionsBehindAFewRoots) {
  for (const char* const place : {"layers.0.dense", "optimizer.learning_rate", "args.width"})
    EXPECT_TRUE(is_place(place)) << place;
  for (const char* const other : {"layers", "layers.", "optimizer", "n", "loss", "train.batch", "arguments.width", ""})
    EXPECT_FALSE(is_place(other)) << other;
}

TEST(Places, AModelHasEveryKeyThatItsLayersMayHave) {
  for (const char* const place : {"layers.0.dense", "layers.1.dense", "layers.1.activation", "optimizer.learning_rate",
                                  "optimizer.adam.learning_rate", "optimizer.beta1"})
    EXPECT_TRUE(has_place(small(), place)) << place;
  for (const char* const other :
       {"layers.2.dense", "layers.-1.dense", "layers.0.units", "layers.0", "layers.0.dense.x",
        "layers.00000000000000000000001.dense", "layers.x.dense", "optimizer.momentum", "optimizer.sgd.learning_rate",
        "optimizer.adam", "args.width", "name", "layers..dense"})
    EXPECT_FALSE(has_place(small(), other)) << other;
}

TEST(Places, MomentumAndEpsilonOfABatchNormNeedNotBeWritten) {
  const Model normed = parse_model(R"({"name": "n", "input": [4], "layers": [{"batch_norm": true}, {"dense": 2}],
                                       "loss": "mse", "optimizer": {"sgd": {"learning_rate": 0.01}}})");
  const auto other =
      std::get<Network>(with_values(normed, {{"layers.0.momentum", "0.9"}, {"layers.0.epsilon", "1e-5"}}));
  EXPECT_EQ(std::get<BatchNorm>(other.layers[0]), (BatchNorm{0.9, 1e-5}));
}

TEST(Places, TakeOtherValues) {
  const auto network = std::get<Network>(with_values(
      small(), {{"layers.0.dense", "16"}, {"layers.0.activation", "\"tanh\""}, {"optimizer.beta1", "0.5"}}));
  EXPECT_EQ(std::get<Dense>(network.layers[0]).units, 16);
  EXPECT_EQ(std::get<Dense>(network.layers[0]).activation, Activation::tanh);
  EXPECT_EQ(std::get<Dense>(network.layers[1]), std::get<Dense>(std::get<Network>(small()).layers[1]));
  EXPECT_EQ(std::get<Adam>(network.optimizer).beta1, 0.5);
  EXPECT_EQ(network.name, "small");
  EXPECT_EQ(with_values(small(), {}), small());
}

TEST(Places, RefuseWhatMakesNoModel) {
  EXPECT_THAT(input_error([] {
                with_values(small(), {{"layers.0.dense", "0"}});
              }),
              testing::HasSubstr("/layers/0/dense: found 0, expected a whole number from 1"));
  EXPECT_THAT(input_error([] {
                with_values(small(), {{"layers.0.activation", "\"relo\""}});
              }),
              testing::HasSubstr("did you mean \"relu\"?"));
  EXPECT_THAT(input_error([] {
                with_values(small(), {{"layers.5.dense", "1"}});
              }),
              testing::HasSubstr("small has no place layers.5.dense"));
}

TEST(Places, AnArgumentIsWhereTheModelNamesIt) {
  UserModel user;
  user.name = "mine";
  user.python = "m.py:f";
  user.batch = "m.py:b";
  user.arguments = R"({"depth":2,"width":64})";
  const auto changed = std::get<UserModel>(with_values(user, {{"args.width", "128"}}));
  EXPECT_EQ(changed.arguments, R"({"depth":2,"width":128})");
  EXPECT_FALSE(has_place(user, "args.height"));
  EXPECT_FALSE(has_place(user, "layers.0.dense"));
}

}  // namespace
}  // namespace regatta::model
