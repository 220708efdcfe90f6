#include "engine/cpu/products/products.hpp"

#include "engine/cpu/calls/families.hpp"
#include "engine/cpu/products/bf16_calls.hpp"

namespace regatta::engine::cpu {

namespace {

BoundCalls bind_fp32(const Target& target, const MatMul& op, const Memory& memory) {
  return bind_matmul(target, op, memory);
}
BoundCalls bind_fp32(const Target& target, const auto& op, const Memory& memory) {
  return bind_conv1d(target, op, memory);
}
std::int64_t fp32_scratch_bytes(const KernelTable& kernels, const MatMul& op) {
  return matmul_scratch_bytes(kernels, op);
}
std::int64_t fp32_scratch_bytes(const KernelTable& kernels, const auto& op) {
  return conv1d_scratch_bytes(kernels, op);
}

template <class Spec>
BoundCalls bind_product(const Target& target, const Spec& op, const Memory& memory) {
  if constexpr (requires { op.shape.fft; }) {
    if (op.shape.fft) return bind_fft(target, op, memory);
  }
  return target.kernels->bf16 != nullptr ? bind_bf16(target, op, memory) : bind_fp32(target, op, memory);
}

template <class Spec>
std::int64_t product_scratch_bytes(const Target& target, const Spec& op) {
  if constexpr (requires { op.shape.fft; }) {
    if (op.shape.fft) return fft_scratch_bytes(*target.kernels, op);
  }
  return target.kernels->bf16 != nullptr ? bf16_scratch_bytes(op) : fp32_scratch_bytes(*target.kernels, op);
}

bool fp32_packs_first(const KernelTable& kernels, const MatMul& op) { return matmul_packs_b_alone(kernels, op); }
bool fp32_packs_first(const KernelTable& /*kernels*/, const Conv1d& op) { return !op.shape.fft; }
bool fp32_packs_first(const KernelTable& /*kernels*/, const Conv1dInputGradient& op) { return !op.shape.fft; }
/// It packs what it sums over, no weights.
bool fp32_packs_first(const KernelTable& /*kernels*/, const Conv1dKernelGradient& /*op*/) { return false; }

}  // namespace

void enter_products(CallTable& table) {
  enter<MatMul, Conv1d, Conv1dKernelGradient, Conv1dInputGradient>(
      table,
      [](const Target& target, const auto& op, const Memory& memory) { return bind_product(target, op, memory); },
      [](const Target& target, const auto& op) { return product_scratch_bytes(target, op); },
      [](const Target& target, const auto& op) {
        return target.kernels->bf16 == nullptr && fp32_packs_first(*target.kernels, op);
      });
}

}  // namespace regatta::engine::cpu
