// Dropout masks.
#pragma once

#include "engine/cpu/kernels/kernel_table.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine::cpu {

/// Images [begin, end) of the mask of one Dropout step (see ops.hpp).
void fill_dropout_mask(const KernelTable& kernels, const Dropout& op, const StepState& state, std::int64_t begin,
                       std::int64_t end, float* mask);

}  // namespace regatta::engine::cpu
