// Named fp32/int32 tensors, the safetensors format, and the deterministic initial weights.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
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

/// The tensor of this name. Throws InputError if it is missing.
const Tensor& tensor_named(const std::vector<Tensor>& tensors, const std::string& name);

/// Glorot-uniform kernels (Glorot and Bengio 2010), zero biases, gamma one; a pure function of (network, seed).
std::vector<Tensor> initial_weights(const Network& network, std::uint64_t seed);

}  // namespace regatta::model
