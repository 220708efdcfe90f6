// The batches that all engines of a comparison are fed: made up, of a dataset that comes along, of the user's files.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regatta/data/array.hpp"
#include "regatta/data/data_files.hpp"
#include "regatta/model/model.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::data {

// samples.cpp: Samples and labels as the user's files hold them.

struct Samples {
  Array x;
  Array y;
  std::optional<Array> group;  ///< int32: rows with one number belong together
};

struct SampleParts {
  Samples all;                  ///< but for the test part, where it has rows of its own
  std::optional<Samples> test;  ///< a file of its own, or arrays of its own in the file
  std::optional<Samples> validation = {};
};

/// Throws InputError for a file that cannot be read, or whose arrays cannot be told apart.
Samples read_samples(const DataFiles& files);
SampleParts read_sample_parts(const DataFiles& files);

// likeness.cpp: A test or validation part beside the training part.

/// Such a part with the training part's numbers for texts. Throws InputError, which calls the part `file`, if their
/// shapes, types, columns or texts do not belong together.
Samples in_words_of(const Samples& training, const Samples& test, const std::string& file);

// row_parts.cpp: The rows of the test part.

struct PartRule {
  std::int64_t rows = 0;  ///< at least 2
  double test = 0;        ///< the share that is tested
  RowOrder order = RowOrder::shuffled;
  std::vector<std::int32_t> classes = {};  ///< one for each row: each has the same share; empty: none are told apart
  std::vector<std::int32_t> groups = {};   ///< one for each row: none is divided; empty: none
};

/// Both in the order of the data.
struct RowParts {
  std::vector<std::uint32_t> training;
  std::vector<std::uint32_t> test;
};

/// A pure function of the rule. tests/workers/python holds the same of workers/python/regatta_worker/order.py.
RowParts row_parts(const PartRule& rule);

/// These rows of a tensor (1, rows, ...).
model::Tensor rows_at(const model::Tensor& tensor, std::span<const std::uint32_t> rows, std::string name);

// batches.cpp

/// Bytes of fp32 values of this shape. Throws InputError if that is more than a machine should be asked for.
std::uint64_t checked_bytes(const std::string& model_name, const model::Shape& shape);

// file_batches.cpp: Batches of the user's own files.

/// "x" and "y" as make_batches describes them, of shape `head` (n, batch) before what a sample has. Rows in the file's
/// order, from the first again after the last. Throws InputError if the files do not fit the network.
std::vector<model::Tensor> file_batches(const model::Network& network, const model::Shape& head,
                                        const DataFiles& files);

/// The same of samples that are read.
std::vector<model::Tensor> tensors_of(const Samples& samples, const model::Network& network, const model::Shape& head,
                                      const DataFiles& files);

/// All samples once, for training: the same with the head (1, samples). Throws InputError, too, where a number or label
/// is not finite.
std::vector<model::Tensor> finite_tensors(const Samples& samples, const model::Network& network,
                                          const DataFiles& files);

// file_parts.cpp: The training part and the test part of the user's own files.

/// "x", "y", "test_x" and "test_y", (rows, ...) each; with a validation part its rows are the last of "x" and "y", and
/// "validation_rows" counts them. Throws InputError for a class in the test or validation part that no row of the
/// training part has, and what the functions above throw.
std::vector<model::Tensor> file_parts(const model::Network& network, const DataFiles& files);

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
