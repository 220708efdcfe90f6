// The operation graph of one convolution.
#pragma once

#include <deque>

#include "engine/cuda/convolutions/descriptor.hpp"
#include "engine/cuda/convolutions/shape.hpp"
#include "regatta/engine/settings.hpp"

namespace regatta::engine::cuda {

/// Ids of the tensors in a graph.
inline constexpr std::int64_t kInputId = 1, kKernelId = 2, kOutputId = 3;

/// Ids of operands 0, 1 and 2.
std::array<std::int64_t, 3> tensor_ids(ConvolutionKind kind);

/// Bytes to which operands of a graph are aligned at least.
inline constexpr std::int64_t kTensorAlignment = 16;

/// With what it consists of.
struct OperationGraph {
  std::deque<Descriptor> parts;
  Descriptor operations;
};

/// Images channels last, kernels (filters, rows, columns, channels). With bf16 operands 0 and 1 are of that type; what
/// is computed is fp32. `handle`: null where only the graph itself is checked. Throws CudnnRefusal.
OperationGraph make_operation_graph(const CudnnLibrary& library, cudnnHandle_t handle, ConvolutionKind kind,
                                    const ConvolutionShape& shape, Precision precision);

}  // namespace regatta::engine::cuda
