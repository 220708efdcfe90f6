// The batches that every engine of a node is fed, written once as safetensors.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "regatta/model/model.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::data {

inline constexpr std::int64_t max_distinct_batches = 8;
inline constexpr std::uint64_t max_batches_bytes = std::uint64_t{64} << 20;  ///< of x; at least one batch all the same

struct BatchSource {
  std::string dataset;                   ///< "synthetic" or "digits"
  std::filesystem::path datasets_folder; ///< holds digits/ with its manifest
  std::int64_t batch = 32;
  std::uint64_t seed = 0;
};

/// Tensors "x" (n, batch, input...) and "y" (n, batch[, outputs]) for a network, with 1 <= n <= max_distinct_batches;
/// "x" and "y" (1, size, size) for a product; "x" (1, 1) for the scalar gradient; none for no-op.
/// A pure function of its arguments. Throws InputError if the dataset's shape does not fit the model.
std::vector<model::Tensor> make_batches(const model::Model& model, const BatchSource& source);

}  // namespace regatta::data
