// Descriptors of the half-fake cuDNN: attributes by name, in the types that the backend API gives them.
#pragma once

#include <cudnn_graph.h>

#include <cstddef>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace regatta::cuda_fakes::cudnn {

struct Descriptor;
using Shared = std::shared_ptr<Descriptor>;

struct Value {
  cudnnBackendAttributeType_t type;
  std::int64_t count = 0;
  std::vector<std::byte> bytes = {};  ///< empty for descriptors
  std::vector<Shared> descriptors = {};
};

/// How a call ended, and why.
struct Answer {
  cudnnStatus_t status = CUDNN_STATUS_SUCCESS;
  std::string why = {};
  [[nodiscard]] bool is_good() const { return status == CUDNN_STATUS_SUCCESS; }
};

struct Descriptor {
  cudnnBackendDescriptorType_t type;
  bool is_finalized = false;
  bool is_destroyed = false;  ///< by the caller; others may still hold it
  bool was_run = false;       ///< plans only
  std::map<int, Value> values = {};
  cudnnBackendDescriptor_t real = nullptr;  ///< the real library's, where it is forwarded to

  template <class T>
  [[nodiscard]] std::vector<T> all(cudnnBackendAttributeName_t name) const {
    const auto found = values.find(name);
    if (found == values.end()) return {};
    std::vector<T> elements(static_cast<std::size_t>(found->second.count));
    const auto* const from = reinterpret_cast<const T*>(found->second.bytes.data());
    elements.assign(from, from + found->second.count);
    return elements;
  }
  template <class T>
  [[nodiscard]] T one(cudnnBackendAttributeName_t name, T otherwise = {}) const {
    const std::vector<T> elements = all<T>(name);
    return elements.empty() ? otherwise : elements[0];
  }
  [[nodiscard]] Shared child(cudnnBackendAttributeName_t name) const;

  template <class T>
  void put(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t as, const std::vector<T>& elements) {
    const auto* const bytes = reinterpret_cast<const std::byte*>(elements.data());
    values[name] = {as, static_cast<std::int64_t>(elements.size()), {bytes, bytes + elements.size() * sizeof(T)}, {}};
  }
  void put(cudnnBackendAttributeName_t name, const std::vector<Shared>& children);
};

/// "engine configuration", for messages.
const char* name_of(cudnnBackendDescriptorType_t type);

/// Bytes of an element; 0: the fake does not know the type.
std::size_t size_of(cudnnBackendAttributeType_t type);

/// Whether the attribute may be given to a descriptor of that type so; what the fake does not know is NOT_SUPPORTED.
Answer may_set(const Descriptor& descriptor, cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
               std::int64_t count);

/// Whether what a descriptor needs was given, and holds together.
Answer may_finalize(const Descriptor& descriptor);

}  // namespace regatta::cuda_fakes::cudnn
