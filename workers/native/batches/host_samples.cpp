#include "batches/host_samples.hpp"

#include <fmt/format.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "regatta/base/error.hpp"
#include "regatta/data/to_float.hpp"

namespace regatta::worker {
namespace {

using data::ElementType;

float float_at(const data::Array& numbers, std::size_t i) {
  float value = 0;
  std::memcpy(&value, numbers.first + i * sizeof value, sizeof value);
  return value;
}

template <class Number, class Make>
data::Array made_of(const data::Array& numbers, ElementType type, const Make& make) {
  const std::size_t size = data::row_bytes(numbers) / data::size_of(numbers.type);
  const auto values = std::make_shared<std::vector<Number>>(size * static_cast<std::size_t>(numbers.count));
  for (std::size_t i = 0; i < values->size(); ++i) (*values)[i] = make(i);
  data::Array made = numbers;
  made.type = type;
  made.first = reinterpret_cast<const std::byte*>(values->data());
  made.stride_bytes = data::row_bytes(made);
  made.owner = values;
  return made;
}

std::uint8_t byte_of(float value, float scale, const std::string& name) {
  constexpr float most = std::numeric_limits<std::uint8_t>::max();
  const float byte = std::nearbyint(value / scale);
  if (byte >= 0 && byte <= most && byte * scale == value) return static_cast<std::uint8_t>(byte);
  throw InputError(
      fmt::format("'{}' holds {}, which is no byte times {} (as bytes it would be another number); "
                  "hold it as float32",
                  name, value, scale));
}

std::size_t numbers_of_batch(const HostSamples& samples) {
  return data::row_bytes(samples.x) / data::size_of(samples.x.type) * static_cast<std::size_t>(samples.batch);
}

}  // namespace

data::Array held_as(const data::Array& numbers, ElementType type, float scale) {
  if (type == numbers.type) return numbers;
  if (numbers.type == ElementType::float32 && type == ElementType::float64)
    return made_of<double>(numbers, type, [&](std::size_t i) { return static_cast<double>(float_at(numbers, i)); });
  if (numbers.type == ElementType::float32 && type == ElementType::uint8)
    return made_of<std::uint8_t>(numbers, type,
                                 [&](std::size_t i) { return byte_of(float_at(numbers, i), scale, numbers.name); });
  if (type != ElementType::uint8) return numbers;
  throw InputError(fmt::format("'{}' holds indices (they are no bytes); hold them as float32", numbers.name));
}

const std::byte* batch_at(const HostSamples& samples, std::size_t number) {
  return samples.x.first + number * static_cast<std::size_t>(samples.batch) * samples.x.stride_bytes;
}

void make_floats(const HostSamples& samples, const std::byte* batch, std::vector<float>& floats) {
  floats.resize(numbers_of_batch(samples));
  data::to_float32(samples.x.type, batch, floats.size(), {samples.scale, 0},
                   reinterpret_cast<std::byte*>(floats.data()));
}

}  // namespace regatta::worker
