// Named fp32/int32 tensors, the safetensors format, and the deterministic initial weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "regatta/model/model.hpp"

namespace regatta::model {

struct Tensor {
  std::string name;
  Shape shape;  ///< here with all axes
  std::variant<std::vector<float>, std::vector<std::int32_t>> values;
};

/// Writes safetensors (https://github.com/huggingface/safetensors, format 0.x: u64 header length,
/// JSON header, data) in the given order; the same tensors give the same bytes. Throws StorageError.
void write_safetensors(const std::filesystem::path& path, const std::vector<Tensor>& tensors);

/// Reads F32 and I32 tensors. Throws InputError naming the file and what is damaged.
std::vector<Tensor> read_safetensors(const std::filesystem::path& path);

/// Writes the tensors whose names begin with the prefix, without it, into a file of their own: values of any type as
/// they are, and beside them texts about the file ("__metadata__"). Returns how many there are; with none no file is
/// written. Throws InputError for a damaged file, StorageError.
std::size_t copy_tensors(const std::filesystem::path& from, std::string_view prefix, const std::filesystem::path& to,
                         const std::map<std::string, std::string>& about);

/// The tensor of this name. Throws InputError if it is missing.
const Tensor& tensor_named(const std::vector<Tensor>& tensors, const std::string& name);

/// Glorot-uniform kernels (Glorot and Bengio 2010), zero biases, gamma one; a pure function of (network, seed).
std::vector<Tensor> initial_weights(const Network& network, std::uint64_t seed);

}  // namespace regatta::model
