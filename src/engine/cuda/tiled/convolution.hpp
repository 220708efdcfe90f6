// Convolutions in fp32 as tiled products over what positions read, without a copy of it.
#pragma once

#include <vector>

#include "engine/cuda/convolutions/shape.hpp"
#include "engine/cuda/device/target.hpp"
#include "engine/cuda/tiled/plan.hpp"

namespace regatta::engine::cuda {

struct TiledConvolution {
  ConvolutionKind kind;
  ConvolutionShape shape;
  int way = 0;
  // The operations that are fused with it; null: none.
  const float* bias = nullptr;  ///< forward: added to the sums
  Activation activation = Activation::none;
  const float* saved = nullptr;  ///< input gradient: times the derivative of the activation whose output it is
  Activation derivative = Activation::none;
  float* sums = nullptr;  ///< kernel gradient: those of dy over positions
};

/// The ways to cut it that differ, the usual one first; none where kernels cannot count all that it reads and writes.
std::vector<int> tiled_ways(ConvolutionKind kind, const ConvolutionShape& shape);

/// Scratch memory of issue_tiled().
std::int64_t tiled_scratch_bytes(ConvolutionKind kind, const ConvolutionShape& shape, int way);

/// Issues operands 0 and 1 into 2, with scratch memory in operand kScratch. Throws InputError for sizes that kernels
/// cannot count, DeviceError.
void issue_tiled(const Target& target, const TiledConvolution& op, const Memory& memory);

}  // namespace regatta::engine::cuda
