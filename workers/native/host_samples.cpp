#include "host_samples.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "regatta/base/error.hpp"
#include "regatta/data/batches.hpp"
#include "regatta/data/to_float.hpp"
#include "regatta/model/shapes.hpp"

namespace regatta::worker {
namespace {

constexpr float largest_byte = 255;

std::vector<std::byte> doubles_of(const std::vector<float>& values) {
  const std::vector<double> wide(values.begin(), values.end());
  std::vector<std::byte> numbers(wide.size() * sizeof(double));
  std::memcpy(numbers.data(), wide.data(), numbers.size());
  return numbers;
}

std::vector<std::byte> bytes_of(const std::vector<float>& values, float scale) {
  std::vector<std::byte> numbers;
  numbers.reserve(values.size());
  for (const float value : values) {
    const float byte = std::rint(value / scale);
    if (!(byte >= 0 && byte <= largest_byte) || byte * scale != value)
      throw InputError("the samples are no bytes times a scale; use host_dtype float32");
    numbers.push_back(static_cast<std::byte>(static_cast<unsigned char>(byte)));
  }
  return numbers;
}

float scale_in(const std::vector<model::Tensor>& tensors) {
  const auto found = std::ranges::find(tensors, data::scale_of_x, &model::Tensor::name);
  const auto* scale = found == tensors.end() ? nullptr : std::get_if<std::vector<float>>(&found->values);
  if (scale == nullptr || scale->size() != 1)
    throw InputError("the samples are no bytes times a scale; use host_dtype float32");
  return scale->front();
}

std::size_t batch_size(const HostSamples& samples) {
  return static_cast<std::size_t>(model::element_count(samples.shape) / samples.shape.front());
}

}  // namespace

std::optional<HostSamples> held_as(std::string_view host_dtype, const std::vector<model::Tensor>& tensors) {
  if (host_dtype.empty() || host_dtype == "float32") return std::nullopt;
  const model::Tensor& x = model::tensor_named(tensors, "x");
  const auto* values = std::get_if<std::vector<float>>(&x.values);
  if (values == nullptr) throw InputError("the model reads indices; leave host_dtype float32");
  HostSamples samples;
  samples.shape = x.shape;
  const bool are_bytes = host_dtype == "uint8";
  samples.type = are_bytes ? data::ElementType::uint8 : data::ElementType::float64;
  if (are_bytes) samples.scale = scale_in(tensors);
  samples.numbers = are_bytes ? bytes_of(*values, samples.scale) : doubles_of(*values);
  return samples;
}

data::Array rows_of(const HostSamples& samples) {
  data::Array array;
  array.name = std::string("x");
  array.type = samples.type;
  array.shape.assign(samples.shape.begin() + 2, samples.shape.end());
  array.count = samples.shape[0] * samples.shape[1];
  array.first = samples.numbers.data();
  array.stride_bytes = data::row_bytes(array);
  return array;
}

const std::byte* batch_at(const HostSamples& samples, std::size_t number) {
  return samples.numbers.data() + number * batch_size(samples) * data::size_of(samples.type);
}

void make_floats(const HostSamples& samples, const std::byte* batch, std::vector<float>& floats) {
  floats.resize(batch_size(samples));
  data::to_float32(samples.type, batch, floats.size(), {samples.scale, 0}, reinterpret_cast<std::byte*>(floats.data()));
}

}  // namespace regatta::worker
