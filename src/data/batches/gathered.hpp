// Rows of an array as a tensor.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/loader/gather.hpp"
#include "regatta/data/array.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/model/shapes.hpp"
#include "regatta/model/tensors.hpp"

namespace regatta::data {

/// In the array's order, from the first again after the last, as `options` convert them.
template <class Number>
model::Tensor gathered(std::string name, model::Shape shape, const Array& array, const FieldOptions& options) {
  std::vector<Number> values(static_cast<std::size_t>(model::element_count(shape)));
  const std::size_t row = row_bytes(array) / size_of(array.type);
  std::vector<std::uint32_t> samples(values.size() / std::max<std::size_t>(row, 1));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<std::uint32_t>(i % static_cast<std::size_t>(array.count));
  gather(array, options, samples, reinterpret_cast<std::byte*>(values.data()));
  return {std::move(name), std::move(shape), std::move(values)};
}

/// The factor that turns the bytes back into `x`; nothing where it was not made of bytes, or is shifted.
inline std::optional<model::Tensor> scale_of_bytes(const Array& x, const FieldOptions& options) {
  if (x.type != ElementType::uint8 || options.shift != 0 || options.scale == 0) return std::nullopt;
  return model::Tensor{scale_of_x, {1}, std::vector<float>{options.scale}};
}

}  // namespace regatta::data
