// The calls that products in bf16 share: one rounds both operands into scratch memory, then one multiplies.
#pragma once

#include "engine/cpu/calls/call.hpp"
#include "engine/cpu/kernels/bf16_kernels.hpp"

namespace regatta::engine::cpu {

inline const Bf16Kernels& bf16_of(const Call& call) { return *kernels_of(call).bf16; }

inline Bf16* rounded(const Call& call) { return static_cast<Bf16*>(call.operands[kScratch]); }

/// How much faster than in fp32 a core multiplies, about: smaller products are not worth another thread.
inline constexpr double kBf16Speed = 8;

/// Scratch memory in elements: a, up to where the panels of b begin, then those.
struct Bf16Scratch {
  std::int64_t a, panels;
  [[nodiscard]] std::int64_t bytes() const { return (a + panels) * static_cast<std::int64_t>(sizeof(Bf16)); }
};

inline Bf16Scratch bf16_scratch(std::int64_t a, std::int64_t panels) {
  constexpr std::int64_t kLine = 32;  // elements: panels begin with a line of the cache
  return {round_up(a, kLine), panels};
}

// The operations whose products are taken in bf16 where the kernels have them.
std::int64_t bf16_scratch_bytes(const MatMul& op);
BoundCalls bind_bf16(const Target& target, const MatMul& op, const Memory& memory);
std::int64_t bf16_scratch_bytes(const Conv1d& op);
BoundCalls bind_bf16(const Target& target, const Conv1d& op, const Memory& memory);
std::int64_t bf16_scratch_bytes(const Conv1dKernelGradient& op);
BoundCalls bind_bf16(const Target& target, const Conv1dKernelGradient& op, const Memory& memory);
std::int64_t bf16_scratch_bytes(const Conv1dInputGradient& op);
BoundCalls bind_bf16(const Target& target, const Conv1dInputGradient& op, const Memory& memory);

}  // namespace regatta::engine::cpu
