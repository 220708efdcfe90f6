// The batches that all engines of a comparison are fed: made up, of a dataset that comes along, of the user's files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "regatta/data/array.hpp"
#include "regatta/data/data_files.hpp"
#include "regatta/model/model.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::data {

// file_batches.cpp: Batches of the user's own files.

/// "x" and "y" as make_batches describes them, of shape `head` (n, batch) before what a sample has. Rows in the file's
/// order, from the first again after the last. Throws InputError if the files do not fit the network.
std::vector<model::Tensor> file_batches(const model::Network& network, const model::Shape& head,
                                        const DataFiles& files);

/// All samples once, for training: the same with the head (1, samples). Throws InputError, too, where a number or label
/// is not finite.
std::vector<model::Tensor> file_samples(const model::Network& network, const DataFiles& files);

/// How many samples they hold.
std::int64_t rows_of(const DataFiles& files);

// finite.cpp: Numbers that nothing can be trained on.

/// Where value number `at` of an array stands, rows one after the other: "sample 11 (counted from 1, the header not),
/// column \"width\"".
std::string place_in(const Array& array, std::size_t at);

/// Throws InputError naming the file, the place of the first value that is NaN or infinite, and how many there are.
/// `values` are those of the array, converted. `what`: "numbers" or "labels".
void need_finite(std::span<const float> values, const Array& array, const std::string& file, const char* what);

// Shapes of batches.

/// (n, batch) before the axes of a sample.
inline model::Shape joined(model::Shape head, const model::Shape& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

// manifest.cpp: The promises of a dataset's manifest.json about its files.

/// The bytes of `name` in `folder`, compared with the SHA-256 that the folder's manifest.json has for it. Throws
/// InputError naming the file that is missing or damaged (the manifest itself if it has no SHA-256 for `name`).
std::string read_listed_file(const std::filesystem::path& folder, const std::string& name);

// repeated.cpp: Finds samples that stand in two parts of a dataset: a score on them would tell nothing of unseen
// data.

/// How many rows of the test part stand in the training part, too, bit for bit; both are (rows, ...) of one type.
std::int64_t repeated_rows(const model::Tensor& training, const model::Tensor& test);

}  // namespace regatta::data
