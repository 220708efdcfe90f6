// The datasets that come with Regatta (datasets/NAME; its manifest names source and licence), and which networks can
// learn from them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "regatta/model/model.hpp"

namespace regatta::model {

struct ShippedDataset {
  std::string_view name;
  std::string_view samples;  ///< the file of them in the folder `name`
  std::string_view labels;   ///< the file of the classes, which count from 0
  std::array<std::int64_t, 2> sample;
  std::int64_t classes;
  std::int64_t rows;
  std::int64_t training_rows;  ///< the others are the test part
  bool parts_are_drawn;        ///< as the manifest says; else the first rows are for training
  float largest_value;         ///< becomes 1
  bool holds_bytes = false;    ///< as it stands in the file
};

const std::vector<ShippedDataset>& shipped_datasets();

/// Null if no dataset with files has this name ("synthetic" has none).
const ShippedDataset* find_shipped_dataset(std::string_view name);

/// "64 inputs (flat or 8 x 8), at least 10 outputs and sparse_categorical_crossentropy".
std::string needs_text(const ShippedDataset& dataset);

/// Whether a network reads a sample without its numbers landing elsewhere, and has an output for each class.
bool fits(const ShippedDataset& dataset, const Network& network, const Shape& output);

}  // namespace regatta::model
