// The convolution that an operation graph describes.
#pragma once

#include <cstdint>

#include "support/cuda/cudnn/descriptor.hpp"

namespace regatta::cuda_fakes::cudnn {

enum class Kind { forward, kernel_gradient, input_gradient };

/// A tensor of four extents and strides, in elements: (samples or filters, channels, rows, columns).
struct Tensor {
  std::int64_t id = 0;
  std::int64_t alignment = 1;
  cudnnDataType_t type = CUDNN_DATA_FLOAT;
  std::vector<std::int64_t> extents, strides;

  [[nodiscard]] std::int64_t count() const;
  [[nodiscard]] bool is_channels_last() const;  ///< dense, channels beside one another
};

struct Problem {
  Kind kind = Kind::forward;
  Tensor x, w, y;
  std::vector<std::int64_t> before, after, strides, dilations;  ///< one for each axis
  float alpha = 1, beta = 0;

  [[nodiscard]] std::int64_t flop() const;
  [[nodiscard]] const Tensor& result() const;
};

/// Names of the attributes of an operation.
struct OperationAttributes {
  cudnnBackendAttributeName_t x, w, y, convolution, alpha, beta;
};
OperationAttributes attributes_of(cudnnBackendDescriptorType_t operation);

/// `operation`: one of the three kinds, finalized or complete.
Problem problem_of(const Descriptor& operation);

/// cuDNN's checks of shapes when an operation is finalized.
Answer check(const Problem& problem);

}  // namespace regatta::cuda_fakes::cudnn
