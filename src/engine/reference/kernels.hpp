// The slow kernels: obvious loops, sums and functions in double, rounded to fp32 once. Every other
// kernel is tested against these.
#pragma once

#include "regatta/engine/backend.hpp"

namespace regatta::engine::reference {

/// Memory of the operands, as listed with each operation.
using Memory = std::array<void*, kOperands>;

void run(const AdvanceStep& op, const Memory& memory);
void run(const MatMul& op, const Memory& memory);
void run(const Conv1d& op, const Memory& memory);
void run(const Conv1dKernelGradient& op, const Memory& memory);
void run(const Conv1dInputGradient& op, const Memory& memory);
void run(const AddBias& op, const Memory& memory);
void run(const ColumnSum& op, const Memory& memory);
void run(const Activate& op, const Memory& memory);
void run(const ActivateGradient& op, const Memory& memory);
void run(const Softmax& op, const Memory& memory);
void run(const GlobalAveragePool& op, const Memory& memory);
void run(const SlidingMean& op, const Memory& memory);
void run(const GlobalAveragePoolGradient& op, const Memory& memory);
void run(const Dropout& op, const Memory& memory);
void run(const DropoutGradient& op, const Memory& memory);
void run(const Loss& op, const Memory& memory);
void run(const SgdUpdate& op, const Memory& memory);
void run(const AdamUpdate& op, const Memory& memory);
void run(const Square& op, const Memory& memory);
void run(const SquareGradient& op, const Memory& memory);
void run(const Fill& op, const Memory& memory);
void run(const Conv2d& op, const Memory& memory);
void run(const Conv2dKernelGradient& op, const Memory& memory);
void run(const Conv2dInputGradient& op, const Memory& memory);
void run(const MaxPool& op, const Memory& memory);
void run(const MaxPoolGradient& op, const Memory& memory);
void run(const AveragePool& op, const Memory& memory);
void run(const AveragePoolGradient& op, const Memory& memory);
void run(const Lstm& op, const Memory& memory);
void run(const LstmGradient& op, const Memory& memory);
void run(const LstmRecurrentGradient& op, const Memory& memory);
void run(const LstmLast& op, const Memory& memory);
void run(const Add& op, const Memory& memory);
void run(const BatchNorm& op, const Memory& memory);
void run(const BatchNormGradient& op, const Memory& memory);
void run(const LayerNorm& op, const Memory& memory);
void run(const LayerNormGradient& op, const Memory& memory);
void run(const Embedding& op, const Memory& memory);
void run(const EmbeddingGradient& op, const Memory& memory);

/// A call of the kernel for this operation.
BoundCalls bind(const OpSpec& spec, const Memory& memory);

}  // namespace regatta::engine::reference
