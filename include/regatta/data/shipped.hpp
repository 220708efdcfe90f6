// The samples of a dataset that comes with Regatta.
#pragma once

#include <filesystem>

#include "regatta/data/array.hpp"
#include "regatta/model/shipped_datasets.hpp"

namespace regatta::data {

struct ShippedArrays {
  Array samples;
  Array labels;  ///< uint8, as many
};

/// Reads the dataset's files in `folder` after comparing them with the SHA-256 in its manifest.json. Throws InputError
/// naming the file that is missing or damaged.
ShippedArrays read_shipped(const std::filesystem::path& folder, const model::ShippedDataset& dataset);

}  // namespace regatta::data
