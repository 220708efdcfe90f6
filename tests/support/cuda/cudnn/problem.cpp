#include "support/cuda/cudnn/problem.hpp"

namespace regatta::cuda_fakes::cudnn {

namespace {

Tensor tensor_of(const Shared& from) {
  if (from == nullptr) return {};
  return {from->one<std::int64_t>(CUDNN_ATTR_TENSOR_UNIQUE_ID),
          from->one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, 1),
          from->one<cudnnDataType_t>(CUDNN_ATTR_TENSOR_DATA_TYPE),
          from->all<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS), from->all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES)};
}

Kind kind_of(cudnnBackendDescriptorType_t operation) {
  if (operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR) return Kind::kernel_gradient;
  if (operation == CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR) return Kind::input_gradient;
  return Kind::forward;
}

}  // namespace

std::int64_t Tensor::count() const {
  std::int64_t count = 1;
  for (const std::int64_t extent : extents) count *= extent;
  return count;
}

bool Tensor::is_channels_last() const {
  if (extents.size() != 4 || strides.size() != 4) return false;
  const std::int64_t channels = extents[1];
  return strides[1] == 1 && strides[3] == channels && strides[2] == channels * extents[3] &&
         strides[0] == channels * extents[3] * extents[2];
}

std::int64_t Problem::flop() const { return 2 * y.count() * w.count() / (w.extents.empty() ? 1 : w.extents[0]); }

const Tensor& Problem::result() const {
  if (kind == Kind::kernel_gradient) return w;
  return kind == Kind::input_gradient ? x : y;
}

OperationAttributes attributes_of(cudnnBackendDescriptorType_t operation) {
  switch (kind_of(operation)) {
    case Kind::kernel_gradient:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,     CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
    case Kind::input_gradient:
      return {CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,    CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case Kind::forward:
      break;
  }
  return {CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,     CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA, CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
}

Problem problem_of(const Descriptor& operation) {
  const OperationAttributes names = attributes_of(operation.type);
  Problem problem{kind_of(operation.type),
                  tensor_of(operation.child(names.x)),
                  tensor_of(operation.child(names.w)),
                  tensor_of(operation.child(names.y)),
                  {},
                  {},
                  {},
                  {}};
  if (const Shared convolution = operation.child(names.convolution)) {
    problem.before = convolution->all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS);
    problem.after = convolution->all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS);
    problem.strides = convolution->all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES);
    problem.dilations = convolution->all<std::int64_t>(CUDNN_ATTR_CONVOLUTION_DILATIONS);
  }
  problem.alpha = operation.one<float>(names.alpha, 1);
  problem.beta = operation.one<float>(names.beta, 0);
  return problem;
}

Answer check(const Problem& p) {
  for (const Tensor* const tensor : {&p.x, &p.w, &p.y}) {
    if (tensor->extents.size() != 4) return {CUDNN_STATUS_BAD_PARAM, "a tensor has not four extents"};
  }
  if (p.before.size() != 2) return {CUDNN_STATUS_BAD_PARAM, "the convolution has not two axes"};
  if (p.x.extents[0] != p.y.extents[0]) return {CUDNN_STATUS_BAD_PARAM, "x and y differ in samples"};
  if (p.w.extents[0] != p.y.extents[1]) return {CUDNN_STATUS_BAD_PARAM, "w and y differ in filters"};
  if (p.x.extents[1] != p.w.extents[1]) return {CUDNN_STATUS_BAD_PARAM, "x and w differ in channels"};
  for (std::size_t axis = 0; axis < 2; ++axis) {
    const std::int64_t taps = (p.w.extents[axis + 2] - 1) * p.dilations[axis] + 1;
    const std::int64_t room = p.x.extents[axis + 2] + p.before[axis] + p.after[axis] - taps;
    if (room < 0 || room / p.strides[axis] + 1 != p.y.extents[axis + 2]) {
      return {CUDNN_STATUS_BAD_PARAM, "y has another extent than x, w, padding and stride give"};
    }
  }
  return {};
}

}  // namespace regatta::cuda_fakes::cudnn
