// From an operation to the calls of the kernels that suit its shape.
#pragma once

#include "engine/cpu/kernel_table.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine::cpu {

using Memory = std::array<void*, kOperands>;

/// What the choice of kernels depends on beside the shape.
struct Target {
  const KernelTable* kernels;
  int threads;
};

/// Bytes of scratch that the kernels for this operation want.
std::int64_t scratch_bytes(const Target& target, const OpSpec& spec);

/// `target.kernels` and `spec` must outlive the calls.
BoundCalls bind(const Target& target, const OpSpec& spec, const Memory& memory);

/// Other ways to compute the operation, worth timing.
std::vector<KernelChoice> choices(const Target& target, const OpSpec& spec);

// The operations with more than one way to be computed.
std::int64_t matmul_scratch_bytes(const KernelTable& kernels, const MatMul& op);
BoundCalls bind_matmul(const Target& target, const MatMul& op, const Memory& memory);
std::vector<KernelChoice> matmul_choices(const KernelTable& kernels, const MatMul& op);
std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1d& op);
BoundCalls bind_conv1d(const Target& target, const Conv1d& op, const Memory& memory);
std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op);
BoundCalls bind_conv1d(const Target& target, const Conv1dKernelGradient& op, const Memory& memory);
std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dInputGradient& op);
BoundCalls bind_conv1d(const Target& target, const Conv1dInputGradient& op, const Memory& memory);

}  // namespace regatta::engine::cpu
