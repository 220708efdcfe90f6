// A descriptor of cuDNN's backend API as a value that knows its types and destroys itself.
#pragma once

#include <span>
#include <stdexcept>
#include <vector>

#include "engine/cuda/convolutions/library.hpp"

namespace regatta::engine::cuda {

/// The library did not take what was asked of it.
struct CudnnRefusal : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// "cudnnBackendFinalize: CUDNN_STATUS_NOT_SUPPORTED: what the library says".
std::string refusal_text(const CudnnLibrary& library, const char* call, cudnnStatus_t status);

/// The type under which values of `T` are given to attributes.
template <class T>
inline constexpr int kAttributeType = -1;
template <>
inline constexpr int kAttributeType<std::int64_t> = CUDNN_TYPE_INT64;
template <>
inline constexpr int kAttributeType<float> = CUDNN_TYPE_FLOAT;
template <>
inline constexpr int kAttributeType<bool> = CUDNN_TYPE_BOOLEAN;
template <>
inline constexpr int kAttributeType<cudnnDataType_t> = CUDNN_TYPE_DATA_TYPE;
template <>
inline constexpr int kAttributeType<cudnnConvolutionMode_t> = CUDNN_TYPE_CONVOLUTION_MODE;
template <>
inline constexpr int kAttributeType<cudnnBackendHeurMode_t> = CUDNN_TYPE_HEUR_MODE;
template <>
inline constexpr int kAttributeType<cudnnHandle_t> = CUDNN_TYPE_HANDLE;

/// All of it throws CudnnRefusal.
class Descriptor {
 public:
  Descriptor(const CudnnLibrary& library, cudnnBackendDescriptorType_t type);
  ~Descriptor();
  Descriptor(Descriptor&& other) noexcept;
  Descriptor& operator=(Descriptor&& other) noexcept;

  template <class T>
  void set(cudnnBackendAttributeName_t name, std::span<const T> values) {
    static_assert(kAttributeType<T> >= 0);
    set_raw(name, static_cast<cudnnBackendAttributeType_t>(kAttributeType<T>), values.size(), values.data());
  }
  template <class T>
  void set(cudnnBackendAttributeName_t name, const T& value) {
    set(name, std::span<const T>(&value, 1));
  }
  /// An enumeration whose values a file or a later library may know more of than this build.
  void set_number(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int32_t value);
  /// The other descriptor must stay where it is as long as this one is used.
  void set(cudnnBackendAttributeName_t name, const Descriptor& value);
  void set_descriptors(cudnnBackendAttributeName_t name, std::span<const Descriptor> values);
  void set_pointers(cudnnBackendAttributeName_t name, std::span<void* const> values);

  void finalize();

  /// At most `capacity` values.
  template <class T>
  [[nodiscard]] std::vector<T> get(cudnnBackendAttributeName_t name, std::size_t capacity) const {
    static_assert(kAttributeType<T> >= 0);
    std::vector<T> values(capacity);
    values.resize(get_raw(name, static_cast<cudnnBackendAttributeType_t>(kAttributeType<T>), capacity, values.data()));
    return values;
  }
  template <class T>
  [[nodiscard]] T get(cudnnBackendAttributeName_t name) const {
    const std::vector<T> values = get<T>(name, 1);
    if (values.empty()) throw CudnnRefusal("an attribute of cuDNN has no value");
    return values[0];
  }
  /// At most `capacity` values of an enumeration as set_number() takes them.
  [[nodiscard]] std::vector<std::int32_t> get_numbers(cudnnBackendAttributeName_t name,
                                                      cudnnBackendAttributeType_t type, std::size_t capacity) const;
  /// At most `capacity` descriptors of that type.
  [[nodiscard]] std::vector<Descriptor> get_descriptors(cudnnBackendAttributeName_t name,
                                                        cudnnBackendDescriptorType_t type, std::size_t capacity) const;
  /// How many values the attribute has.
  [[nodiscard]] std::size_t count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const;

  [[nodiscard]] cudnnBackendDescriptor_t raw() const { return raw_; }

 private:
  void set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::size_t count,
               const void* values);
  std::size_t get_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::size_t capacity,
                      void* values) const;

  const CudnnLibrary* library_;
  cudnnBackendDescriptor_t raw_ = nullptr;
};

}  // namespace regatta::engine::cuda
