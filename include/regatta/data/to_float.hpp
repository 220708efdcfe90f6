// Numbers of a file as float32.
#pragma once

#include <cstddef>

#include "regatta/data/array.hpp"

namespace regatta::data {

/// value * scale + shift
struct Scaling {
  float scale = 1;
  float shift = 0;
};

/// `count` numbers of `type`, one after the other and aligned anyhow, to as many of float32.
void to_float32(ElementType type, const std::byte* from, std::size_t count, Scaling scaling, std::byte* out);

}  // namespace regatta::data
