// The attributes that descriptors have, and when they are complete.
#include <algorithm>
#include <array>

#include "support/cuda/cudnn/engines.hpp"
#include "support/cuda/cudnn/problem.hpp"

namespace regatta::cuda_fakes::cudnn {

namespace {

struct Rule {
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  std::int64_t least, most;  ///< elements
  bool is_needed = true;
};
using Rules = std::vector<Rule>;

Rules operation_rules(cudnnBackendDescriptorType_t operation) {
  const OperationAttributes names = attributes_of(operation);
  return {{names.x, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1}, {names.w, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
          {names.y, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1}, {names.convolution, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
          {names.alpha, CUDNN_TYPE_FLOAT, 1, 1, false},   {names.beta, CUDNN_TYPE_FLOAT, 1, 1, false}};
}

Rules shape_rules(cudnnBackendDescriptorType_t type) {
  if (type == CUDNN_BACKEND_TENSOR_DESCRIPTOR) {
    return {{CUDNN_ATTR_TENSOR_DATA_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 1},
            {CUDNN_ATTR_TENSOR_DIMENSIONS, CUDNN_TYPE_INT64, 1, CUDNN_DIM_MAX},
            {CUDNN_ATTR_TENSOR_STRIDES, CUDNN_TYPE_INT64, 1, CUDNN_DIM_MAX},
            {CUDNN_ATTR_TENSOR_UNIQUE_ID, CUDNN_TYPE_INT64, 1, 1},
            {CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT, CUDNN_TYPE_INT64, 1, 1}};
  }
  return {{CUDNN_ATTR_CONVOLUTION_COMP_TYPE, CUDNN_TYPE_DATA_TYPE, 1, 1},
          {CUDNN_ATTR_CONVOLUTION_CONV_MODE, CUDNN_TYPE_CONVOLUTION_MODE, 1, 1},
          {CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS, CUDNN_TYPE_INT64, 1, 1},
          {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_TYPE_INT64, 1, CUDNN_DIM_MAX - 2},
          {CUDNN_ATTR_CONVOLUTION_POST_PADDINGS, CUDNN_TYPE_INT64, 1, CUDNN_DIM_MAX - 2},
          {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_TYPE_INT64, 1, CUDNN_DIM_MAX - 2},
          {CUDNN_ATTR_CONVOLUTION_DILATIONS, CUDNN_TYPE_INT64, 1, CUDNN_DIM_MAX - 2}};
}

Rules rules_of(cudnnBackendDescriptorType_t type) {
  switch (type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return shape_rules(type);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return operation_rules(type);
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return {{CUDNN_ATTR_OPERATIONGRAPH_OPS, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
              {CUDNN_ATTR_OPERATIONGRAPH_HANDLE, CUDNN_TYPE_HANDLE, 1, 1, false}};
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return {{CUDNN_ATTR_ENGINEHEUR_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
              {CUDNN_ATTR_ENGINEHEUR_MODE, CUDNN_TYPE_HEUR_MODE, 1, 1}};
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      return {{CUDNN_ATTR_ENGINE_OPERATION_GRAPH, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
              {CUDNN_ATTR_ENGINE_GLOBAL_INDEX, CUDNN_TYPE_INT64, 1, 1}};
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      return {{CUDNN_ATTR_ENGINECFG_ENGINE, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1},
              {CUDNN_ATTR_ENGINECFG_KNOB_CHOICES, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, CUDNN_KNOB_TYPE_COUNTS, false}};
    case CUDNN_BACKEND_KNOB_CHOICE_DESCRIPTOR:
      return {{CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE, CUDNN_TYPE_KNOB_TYPE, 1, 1},
              {CUDNN_ATTR_KNOB_CHOICE_KNOB_VALUE, CUDNN_TYPE_INT64, 1, 1}};
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return {{CUDNN_ATTR_EXECUTION_PLAN_HANDLE, CUDNN_TYPE_HANDLE, 1, 1},
              {CUDNN_ATTR_EXECUTION_PLAN_ENGINE_CONFIG, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, 1}};
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return {{CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS, CUDNN_TYPE_INT64, 1, 64},
              {CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS, CUDNN_TYPE_VOID_PTR, 1, 64},
              {CUDNN_ATTR_VARIANT_PACK_WORKSPACE, CUDNN_TYPE_VOID_PTR, 1, 1}};
    default:
      return {};
  }
}

Answer check_tensor(const Descriptor& tensor) {
  const auto extents = tensor.all<std::int64_t>(CUDNN_ATTR_TENSOR_DIMENSIONS);
  const auto strides = tensor.all<std::int64_t>(CUDNN_ATTR_TENSOR_STRIDES);
  if (extents.size() != strides.size()) return {CUDNN_STATUS_BAD_PARAM, "extents and strides differ in number"};
  for (std::size_t i = 0; i < extents.size(); ++i) {
    if (extents[i] <= 0 || strides[i] <= 0) return {CUDNN_STATUS_BAD_PARAM, "an extent or a stride is not positive"};
  }
  const auto alignment = tensor.one<std::int64_t>(CUDNN_ATTR_TENSOR_BYTE_ALIGNMENT);
  if (alignment <= 0 || (alignment & (alignment - 1)) != 0) {
    return {CUDNN_STATUS_BAD_PARAM, "the alignment is no power of 2"};
  }
  return {};
}

Answer check_convolution(const Descriptor& convolution) {
  const auto axes = static_cast<std::size_t>(convolution.one<std::int64_t>(CUDNN_ATTR_CONVOLUTION_SPATIAL_DIMS));
  for (const auto name : {CUDNN_ATTR_CONVOLUTION_PRE_PADDINGS, CUDNN_ATTR_CONVOLUTION_POST_PADDINGS}) {
    const auto paddings = convolution.all<std::int64_t>(name);
    if (paddings.size() != axes) return {CUDNN_STATUS_BAD_PARAM, "not one padding for each axis"};
    if (*std::min_element(paddings.begin(), paddings.end()) < 0) return {CUDNN_STATUS_BAD_PARAM, "negative padding"};
  }
  for (const auto name : {CUDNN_ATTR_CONVOLUTION_FILTER_STRIDES, CUDNN_ATTR_CONVOLUTION_DILATIONS}) {
    const auto steps = convolution.all<std::int64_t>(name);
    if (steps.size() != axes) return {CUDNN_STATUS_BAD_PARAM, "not one stride and dilation for each axis"};
    if (*std::min_element(steps.begin(), steps.end()) <= 0) return {CUDNN_STATUS_BAD_PARAM, "stride below 1"};
  }
  return {};
}

Answer check_pack(const Descriptor& pack) {
  const auto ids = pack.all<std::int64_t>(CUDNN_ATTR_VARIANT_PACK_UNIQUE_IDS);
  const auto pointers = pack.all<void*>(CUDNN_ATTR_VARIANT_PACK_DATA_POINTERS);
  if (ids.size() != pointers.size()) return {CUDNN_STATUS_BAD_PARAM, "ids and pointers differ in number"};
  return {};
}

}  // namespace

Answer may_set(const Descriptor& descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
               std::int64_t count) {
  const std::string what = "attribute " + std::to_string(name) + " of a descriptor of kind " + name_of(descriptor.type);
  if (descriptor.is_finalized) return {CUDNN_STATUS_NOT_INITIALIZED, what + ": it is finalized"};
  const Rules rules = rules_of(descriptor.type);
  const auto rule = std::find_if(rules.begin(), rules.end(), [&](const Rule& one) { return one.name == name; });
  if (rule == rules.end()) return {CUDNN_STATUS_NOT_SUPPORTED, what + ": the fake does not know it"};
  if (rule->type != type) return {CUDNN_STATUS_BAD_PARAM_ATTRIBUTE_TYPE, what + ": wrong type"};
  if (count < rule->least || count > rule->most) {
    return {CUDNN_STATUS_BAD_PARAM, what + ": " + std::to_string(count) + " elements"};
  }
  return {};
}

Answer may_finalize(const Descriptor& descriptor) {
  for (const Rule& rule : rules_of(descriptor.type)) {
    const auto found = descriptor.values.find(rule.name);
    if (found == descriptor.values.end()) {
      if (!rule.is_needed) continue;
      return {CUDNN_STATUS_BAD_PARAM, "attribute " + std::to_string(rule.name) + " was not set"};
    }
    for (const Shared& child : found->second.descriptors) {
      if (child->is_destroyed) return {CUDNN_STATUS_BAD_PARAM, "a descriptor that it needs was destroyed"};
    }
  }
  switch (descriptor.type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
      return check_tensor(descriptor);
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
      return check_convolution(descriptor);
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
      return check(problem_of(descriptor));
    case CUDNN_BACKEND_ENGINE_DESCRIPTOR:
      return check_engine(descriptor);
    case CUDNN_BACKEND_ENGINEHEUR_DESCRIPTOR:
      return check_heuristics(descriptor);
    case CUDNN_BACKEND_ENGINECFG_DESCRIPTOR:
      return check_configuration(descriptor);
    case CUDNN_BACKEND_EXECUTION_PLAN_DESCRIPTOR:
      return check_plan(descriptor);
    case CUDNN_BACKEND_VARIANT_PACK_DESCRIPTOR:
      return check_pack(descriptor);
    default:
      return {};
  }
}

}  // namespace regatta::cuda_fakes::cudnn
