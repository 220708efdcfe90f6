// The samples of batches as host memory holds them: the parameter host_dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <vector>

#include "regatta/data/array.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::worker {

/// "x" (n, batch, ...) in another type than float32.
struct HostSamples {
  data::ElementType type = data::ElementType::uint8;
  float scale = 1;  ///< x is float32(number) * scale
  std::vector<std::int64_t> shape;
  std::vector<std::byte> numbers;
};

/// Nothing for float32, which the tensors hold. Throws InputError if a number of `x` is not exactly that of a byte, or
/// if it is no float32.
std::optional<HostSamples> held_as(std::string_view host_dtype, const std::vector<model::Tensor>& tensors);

/// Their rows, of all batches one after the other. Refers to `samples`.
data::Array rows_of(const HostSamples& samples);

/// Numbers of one batch, in the step's own time.
const std::byte* batch_at(const HostSamples& samples, std::size_t number);
void make_floats(const HostSamples& samples, const std::byte* batch, std::vector<float>& floats);

}  // namespace regatta::worker
