// Small matrix products in fp32 as tiled products, with all that is fused with them in one launch.
#pragma once

#include <cstdint>

#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// Whether they compute it, which is decided by its shape alone: so its bits are the same wherever it is multiplied.
bool is_tiled(const MatMul& op);

/// Scratch memory of issue_tiled().
std::int64_t tiled_scratch_bytes(const MatMul& op);

/// Issues it and all that is fused with it, bit by bit as the operations apart. Throws DeviceError.
void issue_tiled(const Target& target, const MatMul& op, const Memory& memory);

/// Issues the gradients of a layer's kernel and of its input in one launch, or returns false and issues neither: where
/// they are none, one of them is cut, or the second writes over what the first reads or writes.
bool issue_pair(const Target& target, const MatMul& first, const Memory& first_memory, const MatMul& second,
                const Memory& second_memory);

}  // namespace regatta::engine::cuda
