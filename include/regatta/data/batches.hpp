// The batches that every engine of a node is fed, written once as safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "regatta/base/error.hpp"
#include "regatta/data/data_files.hpp"
#include "regatta/model/model.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::data {

inline constexpr std::int64_t max_distinct_batches = 8;
/// Limit for x; one batch is made all the same.
inline constexpr std::uint64_t max_batches_bytes = std::uint64_t{64} << 20;

/// The data are as they should be, and another model may read them.
class DoesNotFit : public InputError {
 public:
  using InputError::InputError;
};

struct BatchSource {
  std::string dataset = "synthetic";      ///< "synthetic" or a shipped one; with `files`, what the user calls them
  std::filesystem::path datasets_folder;  ///< holds digits/ and so on, each with its manifest
  std::int64_t batch = 32;
  std::uint64_t seed = 0;
  std::optional<DataFiles> files = {};
};

/// The tensor (1) beside batches whose data are bytes: x is exactly float32(byte) * it.
inline constexpr const char* scale_of_x = "x_scale";

/// Tensors "x" (n, batch, input...) and "y" for a network, with 1 <= n <= max_distinct_batches; "x" and "y" (1, size,
/// size) for a product; "x" (1, 1) for the scalar gradient; none for no-op. A pure function of its arguments. Throws
/// InputError if the dataset does not fit the model.
/// - x is fp32; int32 indices if the first layer is an embedding. y is (n, batch) int32 class indices for sparse
///   categorical cross-entropy, else (n, batch, outputs) fp32: 0 or 1 for binary cross-entropy.
/// - synthetic: x, and y for mse, have mean 0 and variance 1 (sums of four uniform numbers); classes are uniform.
/// - files: rows in the file's order, from the first again after the last, as fp32 or indices. `seed` is not read.
/// - shipped: rows in the file's order, from the first again after the last; x is scaled to at most 1. `seed` is not
///   read.
/// Where x was bytes that are scaled only, scale_of_x comes third.
std::vector<model::Tensor> make_batches(const model::Model& model, const BatchSource& source);

/// The tensor (1) of a data set that counts test samples which stand in the training part, too.
inline constexpr const char* repeated_samples = "repeated";

/// The tensor (1) of a data set that counts the rows of its validation part, the last ones of "x" and "y". Without it
/// each run draws its own of them.
inline constexpr const char* validation_rows = "validation_rows";

/// All samples, for training: "x" (n, input...) and "y" (n, ...) of the training part, "test_x" and "test_y" of the
/// test part, as make_batches gives them, "repeated", and "validation_rows" if files say so. A pure function of the
/// model and the source but for its batch. Throws DoesNotFit if the model is no network or reads other data, and
/// InputError for data that nothing is trained on.
/// - shipped: the manifest's parts; those of the digits are 1,400 rows and 397, drawn once for all.
/// - files: the test part is a file or arrays of its own, or rows by the files' rule: a fifth, drawn once for all, the
///   same share of each class.
/// - synthetic: 2,048 rows and 512, labelled by what a linear function of a sample, drawn by the seed, says of it.
std::vector<model::Tensor> make_data_set(const model::Model& model, const BatchSource& source);

}  // namespace regatta::data
