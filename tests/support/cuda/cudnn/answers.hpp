// The answers of finalized descriptors of the half-fake cuDNN.
#pragma once

#include "support/cuda/cudnn/descriptor.hpp"

namespace regatta::cuda_fakes::cudnn {

/// A call of cudnnBackendGetAttribute. `count` becomes how many values there are, whatever there is room for.
struct Question {
  cudnnBackendAttributeName_t name;
  cudnnBackendAttributeType_t type;
  std::int64_t room;
  std::int64_t* count;
  void* values;
  std::vector<Shared> made;  ///< descriptors that the caller created to be filled, in the order of `values`
};

Answer tell(const Descriptor& descriptor, const Question& question);

}  // namespace regatta::cuda_fakes::cudnn
