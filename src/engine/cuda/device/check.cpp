#include "engine/cuda/device/check.hpp"

#include <new>
#include <string>

#include "engine/cuda/device/launch.hpp"

namespace regatta::engine::cuda {

namespace {

std::string text_of(cudaError_t error) {
  return std::string(cudaGetErrorName(error)) + ": " + cudaGetErrorString(error);
}

/// Advice against an error that came before anything was asked of the device.
const char* advice(cudaError_t error) {
  switch (error) {
    case cudaErrorInsufficientDriver:
    case cudaErrorCallRequiresNewerDriver:
    case cudaErrorUnsupportedPtxVersion:
      return "install a driver for CUDA 13 or newer (580 or newer)";
    case cudaErrorNoDevice:
      return "look at what nvidia-smi lists and at CUDA_VISIBLE_DEVICES";
    case cudaErrorDevicesUnavailable:
      return "look in nvidia-smi for who holds it exclusively";
    case cudaErrorNoKernelImageForDevice:
      return "take a GPU of compute capability 8.0 or higher, or build the plugin for this one";
    case cudaErrorSystemDriverMismatch:
    case cudaErrorCompatNotSupportedOnDevice:
      return "bring kernel module and libcuda to one version: load the driver anew or restart the machine";
    default:
      return "repeat the trial; if it fails again, report this line";
  }
}

[[noreturn]] void refuse(cudaError_t error, const std::string& call) {
  cudaGetLastError();  // the next call does not meet an error that goes away
  if (error == cudaErrorMemoryAllocation) throw std::bad_alloc();
  if (stays(error)) {
    throw LostDevice(call + ": " + text_of(error) +
                     " (this process cannot use the device any more); start another worker, and if that meets it too "
                     "look for Xid lines in the kernel's log");
  }
  throw DeviceError(call + ": " + text_of(error) + " (the device did not take the call); " + advice(error));
}

}  // namespace

bool stays(cudaError_t error) {
  switch (error) {
    case cudaErrorCudartUnloading:
    case cudaErrorECCUncorrectable:
    case cudaErrorNvlinkUncorrectable:
    case cudaErrorContained:
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchTimeout:
    case cudaErrorContextIsDestroyed:
    case cudaErrorAssert:
    case cudaErrorHardwareStackError:
    case cudaErrorIllegalInstruction:
    case cudaErrorMisalignedAddress:
    case cudaErrorInvalidAddressSpace:
    case cudaErrorInvalidPc:
    case cudaErrorLaunchFailure:
    case cudaErrorTensorMemoryLeak:
    case cudaErrorMpsClientTerminated:
    case cudaErrorExternalDevice:
    case cudaErrorUnknown:
      return true;
    default:
      return false;
  }
}

void require(cudaError_t error, const char* call) {
  if (error != cudaSuccess) refuse(error, call);
}

void require_launch(const char* name, cudaError_t error) {
  if (error != cudaSuccess) refuse(error, std::string("kernel ") + name);
}

void require(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  if (status == CUBLAS_STATUS_ALLOC_FAILED) throw std::bad_alloc();
  const cudaError_t error = cudaPeekAtLastError();  // a library's failure is often the device's
  if (stays(error)) refuse(error, call);
  throw DeviceError(std::string(call) + ": " + cublasLtGetStatusName(status) + ": " + cublasLtGetStatusString(status) +
                    " (a matrix product of this step is not computed); take another version of cuBLASLt, or report "
                    "this line");
}

}  // namespace regatta::engine::cuda
