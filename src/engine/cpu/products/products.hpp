// Products of matrices and 1-D convolutions in fp32, by the files that have them.
#pragma once

#include "engine/cpu/calls/calls.hpp"

namespace regatta::engine::cpu {

std::int64_t matmul_scratch_bytes(const KernelTable& kernels, const MatMul& op);
BoundCalls bind_matmul(const Target& target, const MatMul& op, const Memory& memory);
bool matmul_packs_b_alone(const KernelTable& kernels, const MatMul& op);
std::vector<KernelChoice> matmul_choices(const KernelTable& kernels, const MatMul& op);
std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1d& op);
BoundCalls bind_conv1d(const Target& target, const Conv1d& op, const Memory& memory);
std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op);
BoundCalls bind_conv1d(const Target& target, const Conv1dKernelGradient& op, const Memory& memory);
std::int64_t conv1d_scratch_bytes(const KernelTable& kernels, const Conv1dInputGradient& op);
BoundCalls bind_conv1d(const Target& target, const Conv1dInputGradient& op, const Memory& memory);

// fft_conv1d.cpp: 1-D convolutions by Fourier transforms, where Conv1dShape::fft asks for them.

std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1d& op);
BoundCalls bind_fft(const Target& target, const Conv1d& op, const Memory& memory);
std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op);
BoundCalls bind_fft(const Target& target, const Conv1dKernelGradient& op, const Memory& memory);
std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1dInputGradient& op);
BoundCalls bind_fft(const Target& target, const Conv1dInputGradient& op, const Memory& memory);

}  // namespace regatta::engine::cpu
