// The samples of batches as host memory holds them: the parameter host_dtype.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "regatta/data/array.hpp"

namespace regatta::worker {

/// The numbers in another type, once for all: float64, or the bytes whose float32(byte) * scale they are. Whole numbers
/// stay what they are but for uint8. Throws InputError where a number is no such byte.
data::Array held_as(const data::Array& numbers, data::ElementType type, float scale);

/// "x" of batches in another type than float32.
struct HostSamples {
  data::Array x;           ///< rows of all batches, one behind the other
  float scale = 1;         ///< the original sample is float32(number) * scale
  std::int64_t batch = 0;  ///< rows
};

/// The numbers of one batch; as float32.
const std::byte* batch_at(const HostSamples& samples, std::size_t number);
void make_floats(const HostSamples& samples, const std::byte* batch, std::vector<float>& floats);

}  // namespace regatta::worker
