// Errors: the last one of each thread, their names, and texts that tell the fake's reason.
#include <algorithm>
#include <string>

#include "support/cuda/runtime/call.hpp"
#include "support/cuda/runtime/error_names.hpp"

namespace regatta::cuda_fakes {
namespace {

struct ThreadErrors {
  cudaError_t last = cudaSuccess;
  cudaError_t refused = cudaSuccess;  ///< the error that `why` belongs to
  std::string why;
  std::string text;
};

ThreadErrors& thread_errors() {
  thread_local ThreadErrors errors;
  return errors;
}

Device* current(Machine& m) {
  const auto device = static_cast<std::size_t>(current_device());
  return device < m.devices.size() ? m.devices[device].get() : nullptr;
}

cudaError_t missing(Machine& m, Needs needs) {
  if (needs == Needs::nothing) return cudaSuccess;
  if (m.settings.driver < CUDART_VERSION) return cudaErrorInsufficientDriver;
  if (m.devices.empty()) return cudaErrorNoDevice;
  if (needs == Needs::device && !current(m)) return cudaErrorInvalidDevice;
  return cudaSuccess;
}

}  // namespace

cudaError_t begin_call(Machine& m, const char* name, Needs needs) {
  if (const cudaError_t error = missing(m, needs); error != cudaSuccess) return error;
  Device* const device = current(m);
  if (needs == Needs::device && device->sticky != cudaSuccess) return device->sticky;
  const auto status = static_cast<cudaError_t>(take_fault(m, name));
  if (is_sticky(status) && device) make_sticky(*device, status, "");
  return status;
}

cudaError_t end_call(Machine& m, cudaError_t error) {
  close_memory(m);
  if (error != cudaSuccess) thread_errors().last = error;
  return error;
}

cudaError_t refused(cudaError_t error, const std::string& why) {
  refuse(why);
  thread_errors().refused = error;
  thread_errors().why = why;
  return error;
}

}  // namespace regatta::cuda_fakes

using namespace regatta::cuda_fakes;

extern "C" {

cudaError_t cudaGetLastError() {
  const std::lock_guard lock(machine_lock());
  const cudaError_t error = cudaPeekAtLastError();
  thread_errors().last = cudaSuccess;
  return error;
}

cudaError_t cudaPeekAtLastError() {
  const std::lock_guard lock(machine_lock());
  const cudaError_t sticky = sticky_error();
  return sticky != cudaSuccess ? sticky : thread_errors().last;
}

const char* cudaGetErrorName(cudaError_t error) {
  const auto found =
      std::find_if(kErrorNames.begin(), kErrorNames.end(), [&](auto& row) { return row.error == error; });
  return found == kErrorNames.end() ? "unrecognized error code" : found->name;
}

const char* cudaGetErrorString(cudaError_t error) {
  const std::lock_guard lock(machine_lock());
  const auto found =
      std::find_if(kErrorNames.begin(), kErrorNames.end(), [&](auto& row) { return row.error == error; });
  ThreadErrors& errors = thread_errors();
  errors.text = found == kErrorNames.end() ? "unrecognized error code" : found->text;
  const Device* const device = current(machine());
  if (device && error == device->sticky && !device->complaint.empty()) {
    errors.text += "; the emulated device complains: " + device->complaint;
  } else if (error != cudaSuccess && error == errors.refused) {
    errors.text += " (" + errors.why + ")";
  }
  return errors.text.c_str();
}

}  // extern "C"
