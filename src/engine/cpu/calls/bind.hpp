// From an operation to the calls of the kernels that suit its shape.
#pragma once

#include "engine/cpu/calls/target.hpp"

namespace regatta::engine::cpu {

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

std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2d& op);
BoundCalls bind_conv2d(const Target& target, const Conv2d& op, const Memory& memory);
std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2dKernelGradient& op);
BoundCalls bind_conv2d(const Target& target, const Conv2dKernelGradient& op, const Memory& memory);
std::int64_t conv2d_scratch_bytes(const KernelTable& kernels, const Conv2dInputGradient& op);
BoundCalls bind_conv2d(const Target& target, const Conv2dInputGradient& op, const Memory& memory);
std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const Lstm& op);
BoundCalls bind_lstm(const Target& target, const Lstm& op, const Memory& memory);
std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const LstmGradient& op);
BoundCalls bind_lstm(const Target& target, const LstmGradient& op, const Memory& memory);
std::int64_t lstm_scratch_bytes(const KernelTable& kernels, const LstmRecurrentGradient& op);
BoundCalls bind_lstm(const Target& target, const LstmRecurrentGradient& op, const Memory& memory);
BoundCalls bind_lstm(const Target& target, const LstmLast& op, const Memory& memory);
BoundCalls bind_pool(const Target& target, const MaxPool& op, const Memory& memory);
BoundCalls bind_pool(const Target& target, const MaxPoolGradient& op, const Memory& memory);
BoundCalls bind_pool(const Target& target, const AveragePool& op, const Memory& memory);
BoundCalls bind_pool(const Target& target, const AveragePoolGradient& op, const Memory& memory);
BoundCalls bind_norm(const Target& target, const BatchNorm& op, const Memory& memory);
BoundCalls bind_norm(const Target& target, const BatchNormGradient& op, const Memory& memory);
BoundCalls bind_norm(const Target& target, const LayerNorm& op, const Memory& memory);
BoundCalls bind_norm(const Target& target, const LayerNormGradient& op, const Memory& memory);
BoundCalls bind_embedding(const Target& target, const Embedding& op, const Memory& memory);
BoundCalls bind_embedding(const Target& target, const EmbeddingGradient& op, const Memory& memory);

}  // namespace regatta::engine::cpu
