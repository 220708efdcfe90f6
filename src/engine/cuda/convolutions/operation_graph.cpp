#include "engine/cuda/convolutions/operation_graph.hpp"

#include <array>

namespace regatta::engine::cuda {

namespace {

/// Names under which an operation takes its tensors and its numbers.
struct OperationNames {
  cudnnBackendDescriptorType_t type;
  cudnnBackendAttributeName_t input, kernel, output, convolution, alpha, beta;
};

OperationNames names_of(ConvolutionKind kind) {
  switch (kind) {
    case ConvolutionKind::kernel_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_X,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DW,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_FILTER_BETA};
    case ConvolutionKind::input_gradient:
      return {CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DX,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_W,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_DY,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_CONV_DESC,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_ALPHA,
              CUDNN_ATTR_OPERATION_CONVOLUTION_BWD_DATA_BETA};
    case ConvolutionKind::forward:
      break;
  }
  return {CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_X,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_W,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_Y,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_CONV_DESC,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_ALPHA,
          CUDNN_ATTR_OPERATION_CONVOLUTION_FORWARD_BETA};
}

/// cuDNN lists extents as (samples or filters, channels, rows, columns), wherever they lie in memory.
struct Extents {
  std::int64_t outer, channels, rows, columns;
};

Descriptor make_tensor(const CudnnLibrary& library, std::int64_t id, const Extents& e, cudnnDataType_t type) {
  Descriptor tensor(library, CUDNN_BACKEND_TENSOR_DESCRIPTOR);
  const std::array<std::int64_t, 4> extents{e.outer, e.channels, e.rows, e.columns};
  const std::array<std::int64_t, 4> strides{e.rows * e.columns * e.channels, 1, e.columns * e.channels, e.channels};
  tensor.set(CUDNN_ATTR_TENSOR_DATA_TYPE, type);
  tensor.set(CUDNN_ATTR_TENSOR_DIMENSIONS, std::span<const std::int64_t>(extents));
  tensor.set(CUDNN_ATTR_TENSOR_STRIDES, std::span<const std::int64_t>(strides));
  tensor.set(CUDNN_ATTR_TENSOR_UNIQUE_ID, id);
  tensor.set(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, kTensorAlignment);
  tensor.finalize();
  return tensor;
}

Descriptor make_convolution(const CudnnLibrary& library, const ConvolutionShape& s) {
  Descriptor convolution(library, CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR);
  const Padding rows = padding_of_rows(s);
  const Padding columns = padding_of_columns(s);
  const auto set_pair = [&](cudnnBackendAttributeName_t name, std::int64_t first, std::int64_t second) {
    const std::array<std::int64_t, 2> pair{first, second};
    convolution.set(name, std::span<const std::int64_t>(pair));
  };
  convolution.set(CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_DATA_FLOAT);
  convolution.set(CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_CROSS_CORRELATION);
  convolution.set(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, std::int64_t{2});
  set_pair(CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, rows.before, columns.before);
  set_pair(CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, rows.after, columns.after);
  set_pair(CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, s.stride_rows, s.stride_columns);
  set_pair(CUDNN_ATTR_CONVOLUTION_DILATIONS, 1, 1);
  convolution.finalize();
  return convolution;
}

}  // namespace

std::array<std::int64_t, 3> tensor_ids(ConvolutionKind kind) {
  switch (kind) {
    case ConvolutionKind::kernel_gradient:
      return {kInputId, kOutputId, kKernelId};
    case ConvolutionKind::input_gradient:
      return {kOutputId, kKernelId, kInputId};
    case ConvolutionKind::forward:
      break;
  }
  return {kInputId, kKernelId, kOutputId};
}

OperationGraph make_operation_graph(const CudnnLibrary& library, cudnnHandle_t handle, ConvolutionKind kind,
                                    const ConvolutionShape& s, Precision precision) {
  const OperationNames names = names_of(kind);
  const std::int64_t result = tensor_ids(kind)[2];
  const auto type = [&](std::int64_t id) {
    return precision == Precision::bf16 && id != result ? CUDNN_DATA_BFLOAT16 : CUDNN_DATA_FLOAT;
  };
  OperationGraph graph{{}, Descriptor(library, CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR)};
  Descriptor operation(library, names.type);
  const auto add_tensor = [&](cudnnBackendAttributeName_t name, std::int64_t id, const Extents& extents) {
    operation.set(name, graph.parts.emplace_back(make_tensor(library, id, extents, type(id))));
  };
  add_tensor(names.input, kInputId, {s.batch, s.channels, s.rows, s.columns});
  add_tensor(names.kernel, kKernelId, {s.filters, s.channels, s.taps_rows, s.taps_columns});
  add_tensor(names.output, kOutputId, {s.batch, s.filters, s.out_rows, s.out_columns});
  operation.set(names.convolution, graph.parts.emplace_back(make_convolution(library, s)));
  operation.set(names.alpha, 1.0F);
  operation.set(names.beta, 0.0F);
  operation.finalize();
  graph.operations.set(CUDNN_ATTR_OPERATIONGRAPH_OPS, graph.parts.emplace_back(std::move(operation)));
  if (handle != nullptr) graph.operations.set(CUDNN_ATTR_OPERATIONGRAPH_HANDLE, handle);
  graph.operations.finalize();
  return graph;
}

}  // namespace regatta::engine::cuda
