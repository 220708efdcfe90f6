// Shapes of batches.
#pragma once

#include "regatta/model/model.hpp"

namespace regatta::data {

/// (n, batch) before the axes of a sample.
inline model::Shape joined(model::Shape head, const model::Shape& tail) {
  head.insert(head.end(), tail.begin(), tail.end());
  return head;
}

}  // namespace regatta::data
