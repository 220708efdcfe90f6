// The slow kernels: obvious loops, sums and functions in double, rounded to fp32 once. Every other
// kernel is tested against these.
#pragma once

#include "regatta/engine/backend.hpp"

namespace regatta::engine::reference {

/// Memory of the operands, as listed with each operation.
using Memory = std::array<void*, kOperands>;

// The parts of fused operations.
void run(const AddBias& op, const Memory& memory);
void run(const ColumnSum& op, const Memory& memory);
void run(const Activate& op, const Memory& memory);
void run(const ActivateGradient& op, const Memory& memory);
void run(const MatMul& op, const Memory& memory);

/// Computes one operation; `spec` is the alternative that its OpSpec holds.
using Kernel = void (*)(const void* spec, const Memory& memory);

/// The kernel of each operation, by its place in OpSpec.
using Kernels = std::array<Kernel, kOpKinds>;

/// Enters `run(op, memory)` for each of these operations.
template <class... Specs, class Run>
void enter(Kernels& kernels, Run /*run*/) {
  ((kernels[kOpIndex<Specs>] = [](const void* spec,
                                  const Memory& memory) { Run{}(*static_cast<const Specs*>(spec), memory); }),
   ...);
}

// One for each file of kernels.
void enter_elementwise(Kernels& kernels);
void enter_images(Kernels& kernels);
void enter_normalization(Kernels& kernels);
void enter_products(Kernels& kernels);
void enter_recurrent(Kernels& kernels);
void enter_training(Kernels& kernels);

/// A call of the kernel for this operation.
BoundCalls bind(const OpSpec& spec, const Memory& memory);

}  // namespace regatta::engine::reference
