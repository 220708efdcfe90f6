// The state of the half-fake cuDNN between calls.
#pragma once

#include <mutex>
#include <optional>
#include <set>
#include <unordered_map>

#include "engine/cuda/convolutions/library.hpp"
#include "support/cuda/cudnn/descriptor.hpp"
#include "support/cuda/cudnn/orders.hpp"

/// cuDNN's opaque handle.
struct cudnnContext {
  cudaStream_t stream = nullptr;
};

namespace regatta::cuda_fakes::cudnn {

struct State {
  std::recursive_mutex mutex;
  Orders orders;
  std::optional<engine::cuda::CudnnLibrary> real;  ///< opened once
  std::string why_not_real;
  std::unordered_map<cudnnBackendDescriptor_t, Shared> descriptors;
  std::set<cudnnHandle_t> handles;
  std::string last_error;
  std::uint64_t turn = 0;  ///< plans that were run
};

State& state();

/// The real library, if it is forwarded to.
const engine::cuda::CudnnLibrary* real_library();

/// Whether descriptors of that type are made by the real library too: it needs no device for them.
bool is_forwarded(cudnnBackendDescriptorType_t type);

}  // namespace regatta::cuda_fakes::cudnn
