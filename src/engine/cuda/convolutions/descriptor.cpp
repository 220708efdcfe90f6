#include "engine/cuda/convolutions/descriptor.hpp"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace regatta::engine::cuda {

namespace {

void demand(const CudnnLibrary& library, const char* call, cudnnStatus_t status) {
  if (status != CUDNN_STATUS_SUCCESS) throw CudnnRefusal(refusal_text(library, call, status));
}

}  // namespace

std::string refusal_text(const CudnnLibrary& library, const char* call, cudnnStatus_t status) {
  std::array<char, 1024> detail{};
  library.last_error_string(detail.data(), detail.size());
  std::string text = fmt::format("{}: {}: {}", call, library.error_string(status), detail.data());
  while (!text.empty() && (text.back() == '\n' || text.back() == ' ' || text.back() == ':')) text.pop_back();
  return text;
}

Descriptor::Descriptor(const CudnnLibrary& library, cudnnBackendDescriptorType_t type) : library_(&library) {
  demand(library, "cudnnBackendCreateDescriptor", library.create_descriptor(type, &raw_));
}

Descriptor::~Descriptor() {
  if (raw_ != nullptr) library_->destroy_descriptor(raw_);
}

Descriptor::Descriptor(Descriptor&& other) noexcept
    : library_(other.library_), raw_(std::exchange(other.raw_, nullptr)) {}

Descriptor& Descriptor::operator=(Descriptor&& other) noexcept {
  std::swap(library_, other.library_);
  std::swap(raw_, other.raw_);
  return *this;
}

void Descriptor::set(cudnnBackendAttributeName_t name, const Descriptor& value) {
  set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, 1, &value.raw_);
}

void Descriptor::set_descriptors(cudnnBackendAttributeName_t name, std::span<const Descriptor> values) {
  std::vector<cudnnBackendDescriptor_t> all;
  for (const Descriptor& value : values) all.push_back(value.raw_);
  set_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, all.size(), all.data());
}

void Descriptor::set_pointers(cudnnBackendAttributeName_t name, std::span<void* const> values) {
  set_raw(name, CUDNN_TYPE_VOID_PTR, values.size(), values.data());
}

void Descriptor::set_number(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::int32_t value) {
  set_raw(name, type, 1, &value);
}

void Descriptor::finalize() { demand(*library_, "cudnnBackendFinalize", library_->finalize(raw_)); }

std::vector<Descriptor> Descriptor::get_descriptors(cudnnBackendAttributeName_t name, cudnnBackendDescriptorType_t type,
                                                    std::size_t capacity) const {
  std::vector<Descriptor> all;
  std::vector<cudnnBackendDescriptor_t> raw;
  for (std::size_t i = 0; i < capacity; ++i) raw.push_back(all.emplace_back(*library_, type).raw_);
  const std::size_t count = get_raw(name, CUDNN_TYPE_BACKEND_DESCRIPTOR, capacity, raw.data());
  all.erase(all.begin() + static_cast<std::ptrdiff_t>(count), all.end());
  return all;
}

std::vector<std::int32_t> Descriptor::get_numbers(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                                  std::size_t capacity) const {
  std::vector<std::int32_t> values(capacity);
  values.resize(get_raw(name, type, capacity, values.data()));
  return values;
}

std::size_t Descriptor::count(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type) const {
  std::int64_t count = 0;
  demand(*library_, "cudnnBackendGetAttribute", library_->get_attribute(raw_, name, type, 0, &count, nullptr));
  return static_cast<std::size_t>(count);
}

void Descriptor::set_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type, std::size_t count,
                         const void* values) {
  demand(*library_, "cudnnBackendSetAttribute",
         library_->set_attribute(raw_, name, type, static_cast<std::int64_t>(count), values));
}

std::size_t Descriptor::get_raw(cudnnBackendAttributeName_t name, cudnnBackendAttributeType_t type,
                                std::size_t capacity, void* values) const {
  std::int64_t count = 0;
  demand(*library_, "cudnnBackendGetAttribute",
         library_->get_attribute(raw_, name, type, static_cast<std::int64_t>(capacity), &count, values));
  if (count < 0 || static_cast<std::size_t>(count) > capacity) {
    throw CudnnRefusal(fmt::format("cudnnBackendGetAttribute: attribute {} has {} values, there is room for {}",
                                   static_cast<int>(name), count, capacity));
  }
  return static_cast<std::size_t>(count);
}

}  // namespace regatta::engine::cuda
