#include "regatta/model/shipped_datasets.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "regatta/model/shapes.hpp"

namespace regatta::model {

const std::vector<ShippedDataset>& shipped_datasets() {
  static const std::vector<ShippedDataset> datasets = {
      {.name = "digits",
       .samples = "images-idx3-ubyte",
       .labels = "labels-idx1-ubyte",
       .sample = {8, 8},
       .classes = 10,
       .rows = 1797,
       .training_rows = 1400,
       .parts_are_drawn = true,
       .largest_value = 16,
       .holds_bytes = true},
      {.name = "japanese-vowels",
       .samples = "series.npy.gz",
       .labels = "speakers.npy",
       .sample = {29, 12},
       .classes = 9,
       .rows = 640,
       .training_rows = 270,
       .parts_are_drawn = false,
       .largest_value = 1},
  };
  return datasets;
}

const ShippedDataset* find_shipped_dataset(std::string_view name) {
  const auto& all = shipped_datasets();
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const ShippedDataset& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

std::string needs_text(const ShippedDataset& dataset) {
  const auto [first, last] = dataset.sample;
  return fmt::format("{} inputs (flat or {} x {}), at least {} outputs and sparse_categorical_crossentropy",
                     first * last, first, last, dataset.classes);
}

bool fits(const ShippedDataset& dataset, const Network& network, const Shape& output) {
  const auto [first, last] = dataset.sample;
  const bool reads = network.input == Shape{first * last} || network.input == Shape{first, last} ||
                     network.input == Shape{first, last, 1};
  return reads && element_count(output) >= dataset.classes && network.loss == Loss::sparse_categorical_crossentropy;
}

}  // namespace regatta::model
