// The begin and end of every function of the fake runtime.
#pragma once

#include <mutex>

#include "support/cuda/runtime/machine.hpp"

namespace regatta::cuda_fakes {

/// The needs of a call for its work: a driver, a device, a device without a sticky error.
enum class Needs { nothing, driver, device };

/// The error that the call returns at once; cudaSuccess: it may go on.
cudaError_t begin_call(Machine& m, const char* name, Needs needs);
/// Notes the error for cudaGetLastError; closes the device's memory.
cudaError_t end_call(Machine& m, cudaError_t error);

template <class Body>
cudaError_t call(const char* name, Needs needs, Body body) {
  const std::lock_guard lock(machine_lock());
  Machine& m = machine();
  const cudaError_t refused = begin_call(m, name, needs);
  return end_call(m, refused != cudaSuccess ? refused : body(m));
}

/// An error with its reason.
cudaError_t refused(cudaError_t error, const std::string& why);

/// Ends a call that waited for a device: pools give back what is above their thresholds, and a sticky error is told.
cudaError_t waited(int device);

}  // namespace regatta::cuda_fakes
