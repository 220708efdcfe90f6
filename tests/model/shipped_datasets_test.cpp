#include "regatta/model/shipped_datasets.hpp"

#include <gtest/gtest.h>

namespace regatta::model {
namespace {

Network network_of(Shape input, Loss loss = Loss::sparse_categorical_crossentropy) {
  return {"n", std::move(input), {}, loss, Sgd{0.1}};
}

TEST(ShippedDatasets, AreFoundByName) {
  for (const ShippedDataset& dataset : shipped_datasets()) EXPECT_EQ(find_shipped_dataset(dataset.name), &dataset);
  EXPECT_EQ(find_shipped_dataset("synthetic"), nullptr);
}

TEST(ShippedDatasets, FitWhatReadsTheirAxes) {
  const ShippedDataset& vowels = *find_shipped_dataset("japanese-vowels");
  EXPECT_TRUE(fits(vowels, network_of({29, 12}), {9}));
  EXPECT_TRUE(fits(vowels, network_of({348}), {12}));
  EXPECT_TRUE(fits(*find_shipped_dataset("digits"), network_of({8, 8, 1}), {10}));
  EXPECT_FALSE(fits(vowels, network_of({12, 29}), {9})) << "numbers would land elsewhere";
  EXPECT_FALSE(fits(vowels, network_of({29, 12}), {8}));
  EXPECT_FALSE(fits(vowels, network_of({29, 12}, Loss::mse), {9}));
}

TEST(ShippedDatasets, SayWhatTheyNeed) {
  EXPECT_EQ(needs_text(*find_shipped_dataset("digits")),
            "64 inputs (flat or 8 x 8), at least 10 outputs and sparse_categorical_crossentropy");
}

}  // namespace
}  // namespace regatta::model
