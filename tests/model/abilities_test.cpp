#include "regatta/model/abilities.hpp"

#include <gtest/gtest.h>

namespace regatta::model {
namespace {

Network network_of(std::vector<Layer> layers, Loss loss = Loss::mse) { return {"odd", {4}, std::move(layers), loss}; }

TEST(Abilities, ACrossEntropyIsComputedFromALastDenseLayerWithItsActivation) {
  const Dense softmax{3, Activation::softmax};
  EXPECT_TRUE(ends_as_loss_needs(network_of({softmax}, Loss::sparse_categorical_crossentropy)));
  EXPECT_TRUE(ends_as_loss_needs(network_of({softmax})));
  EXPECT_FALSE(ends_as_loss_needs(network_of({Dense{3}}, Loss::sparse_categorical_crossentropy)));
  EXPECT_FALSE(ends_as_loss_needs(network_of({softmax}, Loss::binary_crossentropy)));
  EXPECT_FALSE(ends_as_loss_needs(network_of({softmax, Flatten{}}, Loss::sparse_categorical_crossentropy)));
}

TEST(Abilities, ActivationsOfRecurrentLayersStandInside) {
  const Lstm lstm{3, Activation::softmax};
  EXPECT_EQ(activation_of(lstm), std::nullopt);
  EXPECT_EQ(inner_activation_of(lstm), Activation::softmax);
  EXPECT_EQ(inner_activation_of(Bidirectional{lstm}), Activation::softmax);
  EXPECT_EQ(activation_of(Conv1d{1, 1, 1, Padding::same, Activation::relu}), Activation::relu);
  EXPECT_EQ(inner_activation_of(Dense{1}), std::nullopt);
}

TEST(Abilities, TheFirstLayerWithProductsInFp32AloneIsFound) {
  EXPECT_EQ(first_in_fp32(network_of({Conv1d{1, 1}, Flatten{}, Dense{1}}), ComputedOn::processor), std::nullopt);
  const Network image = network_of({Conv2d{1, 1}, Flatten{}, Dense{1}});
  EXPECT_EQ(first_in_fp32(image, ComputedOn::processor), 0U);
  EXPECT_EQ(first_in_fp32(image, ComputedOn::device), std::nullopt);
  const Network recurrent = network_of({Dense{1}, Bidirectional{Lstm{1}}});
  EXPECT_EQ(first_in_fp32(recurrent, ComputedOn::processor), 1U);
  EXPECT_EQ(first_in_fp32(recurrent, ComputedOn::device), std::nullopt);
  EXPECT_EQ(layers_in_bf16(ComputedOn::processor), "dense and conv1d");
  EXPECT_EQ(layers_in_bf16(ComputedOn::device), "dense, conv1d, conv2d, lstm and bidirectional");
}

}  // namespace
}  // namespace regatta::model
