// A convolution as products of the unfolded input, some samples at a time, so that its scratch memory stays bounded.
#pragma once

#include "engine/cuda/convolutions/shape.hpp"
#include "engine/cuda/products/operations.hpp"

namespace regatta::engine::cuda {

/// y = conv(x, kernel), the kernel's gradient from x and dy, or dx from dy and kernel; no bias, no activation.
struct UnfoldedConvolution {
  ConvolutionKind kind;
  ConvolutionShape shape;
  std::int64_t most_scratch_bytes = std::int64_t{256} << 20;  ///< unless one sample takes more
};

/// Chooses algorithms, and tells the bytes of scratch memory. Throws DeviceError.
std::int64_t prepare(const ProductTools& tools, const UnfoldedConvolution& op);

/// Issues operands 0 and 1 into 2, with scratch memory in operand kScratch. Throws DeviceError.
void issue(const ProductTools& tools, const Target& target, const UnfoldedConvolution& op, const Memory& memory);

}  // namespace regatta::engine::cuda
