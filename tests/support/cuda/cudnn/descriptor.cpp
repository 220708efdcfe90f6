#include "support/cuda/cudnn/descriptor.hpp"

namespace regatta::cuda_fakes::cudnn {

Shared Descriptor::child(cudnnBackendAttributeName_t name) const {
  const auto found = values.find(name);
  return found == values.end() || found->second.descriptors.empty() ? nullptr : found->second.descriptors[0];
}

void Descriptor::put(cudnnBackendAttributeName_t name, const std::vector<Shared>& children) {
  values[name] = {CUDNN_TYPE_BACKEND_DESCRIPTOR, static_cast<std::int64_t>(children.size()), {}, children};
}

const char* name_of(cudnnBackendDescriptorType_t type) {
  switch (type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return "tensor";
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return "convolution";
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
      return "forward convolution";
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
      return "kernel gradient";
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return "input gradient";
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return "operation graph";
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return "heuristics";
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      return "engine";
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      return "engine configuration";
    case CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR:
      return "knob choice";
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return "execution plan";
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return "variant pack";
    default:
      return nullptr;
  }
}

std::size_t size_of(cudnnBackendAttributeType_t type) {
  switch (type) {
    case CUDNN_TYPE_INT64:
    case CUDNN_TYPE_HANDLE:
    case CUDNN_TYPE_VOID_PTR:
    case CUDNN_TYPE_BACKEND_DESCRIPTOR:
      return 8;
    case CUDNN_TYPE_FLOAT:
    case CUDNN_TYPE_DATA_TYPE:
    case CUDNN_TYPE_CONVOLUTION_MODE:
    case CUDNN_TYPE_HEUR_MODE:
    case CUDNN_TYPE_KNOB_TYPE:
    case CUDNN_TYPE_NUMERICAL_NOTE:
      return 4;
    case CUDNN_TYPE_BOOLEAN:
      return 1;
    default:
      return 0;
  }
}

}  // namespace regatta::cuda_fakes::cudnn
