// 1-D convolutions by Fourier transforms, where Conv1dShape::fft asks for them.
#pragma once

#include "engine/cpu/calls/target.hpp"

namespace regatta::engine::cpu {

std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1d& op);
BoundCalls bind_fft(const Target& target, const Conv1d& op, const Memory& memory);
std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1dKernelGradient& op);
BoundCalls bind_fft(const Target& target, const Conv1dKernelGradient& op, const Memory& memory);
std::int64_t fft_scratch_bytes(const KernelTable& kernels, const Conv1dInputGradient& op);
BoundCalls bind_fft(const Target& target, const Conv1dInputGradient& op, const Memory& memory);

}  // namespace regatta::engine::cpu
