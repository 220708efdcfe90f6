// Facts about cuDNN's engines where cuDNN withholds some.
#include "engine/cuda/convolutions/engines.hpp"

#include "engine/cuda/convolutions/convolution_test.hpp"

namespace regatta::engine::cuda {
namespace {

/// The attribute without values, and the function that is asked for the others.
struct Withheld {
  cudnnBackendAttributeName_t name = {};
  decltype(&cudnnBackendGetAttribute) others = nullptr;
};

Withheld& withheld() {
  static Withheld what;
  return what;
}

cudnnStatus_t tell_others(cudnnBackendDescriptor_t descriptor, cudnnBackendAttributeName_t name,
                          cudnnBackendAttributeType_t type, std::int64_t room, std::int64_t* count, void* values) {
  if (name != withheld().name) return withheld().others(descriptor, name, type, room, count, values);
  *count = 0;
  return CUDNN_STATUS_SUCCESS;
}

std::string refusal_without(cudnnBackendAttributeName_t name) {
  const CudnnLibrary fake = *open_cudnn().library;
  withheld() = {name, fake.get_attribute};
  CudnnLibrary silent = fake;
  silent.get_attribute = tell_others;
  const ConvolutionShape shape = image_of(plain_image());
  const OperationGraph graph = make_operation_graph(fake, nullptr, ConvolutionKind::forward, shape, Precision::fp32);
  try {
    static_cast<void>(proposals(silent, graph, CUDNN_HEUR_MODE_A));
  } catch (const CudnnRefusal& refusal) {
    return refusal.what();
  }
  return "";
}

TEST(CudnnEngines, AreRefusedWhereTheLibraryTellsNothingOfThem) {
  EXPECT_EQ(refusal_without(CUDNN_ATTR_ENGINECFG_ENGINE), "a configuration of cuDNN has no engine");
  EXPECT_EQ(refusal_without(CUDNN_ATTR_KNOB_CHOICE_KNOB_TYPE), "a knob of cuDNN has no type");
  EXPECT_EQ(refusal_without(CUDNN_ATTR_ENGINE_GLOBAL_INDEX), "an attribute of cuDNN has no value");
  EXPECT_EQ(refusal_without(CUDNN_ATTR_TENSOR_UNIQUE_ID), "");
}

}  // namespace
}  // namespace regatta::engine::cuda
