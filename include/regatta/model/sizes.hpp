// Tensors by name and size.
#pragma once

#include <cstdint>
#include <string>

#include "regatta/model/model.hpp"

namespace regatta::model {

/// A parameter tensor. Names are "<layer index>.<kernel|bias|recurrent_kernel|gamma|beta>"
/// ("<i>.forward.kernel" and "<i>.backward.kernel" in a bidirectional layer).
/// Kernel layouts: dense (in, out); conv1d (taps, in, out); conv2d (rows, columns, in, out);
/// lstm kernel (in, 4 units), recurrent (units, 4 units), gates in the order i, f, g, o; embedding (vocabulary, units).
struct Parameter {
  std::string name;
  Shape shape;
};

/// Throws InputError where no machine could hold so many.
std::int64_t element_count(const Shape& shape);

}  // namespace regatta::model
