#include "regatta/model/sizes.hpp"

#include "model/model.hpp"
#include "regatta/base/error.hpp"

namespace regatta::model {

std::int64_t element_count(const Shape& shape) {
  std::int64_t count = 1;
  for (const std::int64_t size : shape) {
    if (size < 0 || __builtin_mul_overflow(count, size, &count) || count > max_elements) {
      throw InputError(
          fmt::format("a tensor of shape {} is too large (no machine holds it); use smaller sizes", to_text(shape)));
    }
  }
  return count;
}

}  // namespace regatta::model
