#include "regatta/data/to_float.hpp"

#include <cstdint>
#include <cstring>

namespace regatta::data {
namespace {

template <class From>
void converted(const std::byte* from, std::size_t count, Scaling scaling, std::byte* out) {
  for (std::size_t i = 0; i < count; ++i) {
    From number;
    std::memcpy(&number, from + i * sizeof number, sizeof number);
    const float value = static_cast<float>(number) * scaling.scale + scaling.shift;
    std::memcpy(out + i * sizeof value, &value, sizeof value);
  }
}

}  // namespace

void to_float32(ElementType type, const std::byte* from, std::size_t count, Scaling scaling, std::byte* out) {
  switch (type) {
    case ElementType::uint8:
      return converted<std::uint8_t>(from, count, scaling, out);
    case ElementType::int32:
      return converted<std::int32_t>(from, count, scaling, out);
    case ElementType::int64:
      return converted<std::int64_t>(from, count, scaling, out);
    case ElementType::float32:
      return converted<float>(from, count, scaling, out);
    case ElementType::float64:
      return converted<double>(from, count, scaling, out);
  }
}

}  // namespace regatta::data
