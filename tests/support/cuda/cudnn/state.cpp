#include "support/cuda/cudnn/state.hpp"

#include <cstdio>
#include <cstdlib>
#include <sstream>

namespace regatta::cuda_fakes::cudnn {

namespace {

Orders from_environment() {
  Orders orders;
  const char* const words = std::getenv("REGATTA_EMULATED_CUDNN");
  if (words == nullptr) return orders;
  std::istringstream all(words);
  for (std::string word; std::getline(all, word, ',');) {
    if (word == "missing") {
      orders.missing = "libcudnn_graph.so.9 is missing by order";
    } else if (word == "uneven_padding") {
      orders.computes_uneven_padding = true;
    } else if (word == "forward") {
      orders.forwards = true;
    } else {
      std::fprintf(stderr, "REGATTA_EMULATED_CUDNN: no such word: %s\n", word.c_str());
      std::abort();
    }
  }
  return orders;
}

}  // namespace

State& state() {
  static State* const all = [] {
    auto* const fresh = new State;  // outlives whoever destroys descriptors at exit
    fresh->orders = from_environment();
    return fresh;
  }();
  return *all;
}

const engine::cuda::CudnnLibrary* real_library() {
  State& all = state();
  if (!all.orders.forwards) return nullptr;
  if (!all.real && all.why_not_real.empty()) {
    engine::cuda::OpenedCudnn opened = engine::cuda::open_cudnn_at(all.orders.real_library.c_str());
    all.real = opened.library;
    all.why_not_real = std::move(opened.missing);
  }
  return all.real ? &*all.real : nullptr;
}

bool is_forwarded(cudnnBackendDescriptorType_t type) {
  switch (type) {
    case CUDNN_BACKEND_TENSOR_DESCRIPTOR:
    case CUDNN_BACKEND_CONVOLUTION_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_FORWARD_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_FILTER_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATION_CONVOLUTION_BACKWARD_DATA_DESCRIPTOR:
    case CUDNN_BACKEND_OPERATIONGRAPH_DESCRIPTOR:
      return true;
    default:
      return false;
  }
}

const Orders& orders() { return state().orders; }

void set_orders(const Orders& orders) {
  const std::lock_guard lock(state().mutex);
  State& all = state();
  if (orders.real_library != all.orders.real_library) {
    all.real.reset();
    all.why_not_real.clear();
  }
  all.orders = orders;
}

std::string why_not_forwarding() {
  const std::lock_guard lock(state().mutex);
  if (!state().orders.forwards) return "forwarding was not ordered";
  real_library();
  return state().why_not_real;
}

std::int64_t live_descriptors() {
  const std::lock_guard lock(state().mutex);
  return static_cast<std::int64_t>(state().descriptors.size());
}

std::int64_t live_handles() {
  const std::lock_guard lock(state().mutex);
  return static_cast<std::int64_t>(state().handles.size());
}

}  // namespace regatta::cuda_fakes::cudnn
