// Errors of CUDA calls, as exceptions that name the call.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

/// No call of this process can use the device any more.
struct LostDevice : DeviceError {
  using DeviceError::DeviceError;
};

/// Throws unless the call of that name ended well: std::bad_alloc for want of memory, LostDevice after an error that
/// stays, else DeviceError.
void require(cudaError_t error, const char* call);
void require(cublasStatus_t status, const char* call);

/// Whether every later call of the process meets the error again.
bool stays(cudaError_t error);

}  // namespace regatta::engine::cuda
