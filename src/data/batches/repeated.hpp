// Finds samples that stand in two parts of a dataset: a score on them would tell nothing of unseen data.
#pragma once

#include <cstdint>

#include "regatta/model/tensors.hpp"

namespace regatta::data {

/// How many rows of the test part stand in the training part, too, bit for bit; both are (rows, ...) of one type.
std::int64_t repeated_rows(const model::Tensor& training, const model::Tensor& test);

}  // namespace regatta::data
