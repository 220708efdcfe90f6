#include "support/cuda/cublaslt/status.hpp"

#include "support/cuda/runtime/enqueue.hpp"

namespace regatta::cuda_fakes::lt {
namespace {

struct LastRefusal {
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  std::string why;
  std::string text;
};

LastRefusal& last_refusal() {
  thread_local LastRefusal last;
  return last;
}

const char* name_of(cublasStatus_t status) {
  switch (status) {
    case CUBLAS_STATUS_SUCCESS:
      return "CUBLAS_STATUS_SUCCESS";
    case CUBLAS_STATUS_NOT_INITIALIZED:
      return "CUBLAS_STATUS_NOT_INITIALIZED";
    case CUBLAS_STATUS_ALLOC_FAILED:
      return "CUBLAS_STATUS_ALLOC_FAILED";
    case CUBLAS_STATUS_INVALID_VALUE:
      return "CUBLAS_STATUS_INVALID_VALUE";
    case CUBLAS_STATUS_ARCH_MISMATCH:
      return "CUBLAS_STATUS_ARCH_MISMATCH";
    case CUBLAS_STATUS_MAPPING_ERROR:
      return "CUBLAS_STATUS_MAPPING_ERROR";
    case CUBLAS_STATUS_EXECUTION_FAILED:
      return "CUBLAS_STATUS_EXECUTION_FAILED";
    case CUBLAS_STATUS_INTERNAL_ERROR:
      return "CUBLAS_STATUS_INTERNAL_ERROR";
    case CUBLAS_STATUS_NOT_SUPPORTED:
      return "CUBLAS_STATUS_NOT_SUPPORTED";
    case CUBLAS_STATUS_LICENSE_ERROR:
      return "CUBLAS_STATUS_LICENSE_ERROR";
    default:
      return "unknown status";
  }
}

}  // namespace

cublasStatus_t told(const char* call, const Refusal& refusal) {
  if (refusal.status == CUBLAS_STATUS_SUCCESS) return refusal.status;
  last_refusal().status = refusal.status;
  last_refusal().why = std::string(call) + ": " + refusal.why;
  refuse(last_refusal().why);
  return refusal.status;
}

cublasStatus_t begin(const char* call) { return static_cast<cublasStatus_t>(ordered_fault(call)); }

}  // namespace regatta::cuda_fakes::lt

using namespace regatta::cuda_fakes::lt;

extern "C" {

const char* cublasLtGetStatusName(cublasStatus_t status) { return name_of(status); }

const char* cublasLtGetStatusString(cublasStatus_t status) {
  LastRefusal& last = last_refusal();
  last.text = name_of(status);
  if (status != CUBLAS_STATUS_SUCCESS && status == last.status) last.text += " (" + last.why + ")";
  return last.text.c_str();
}

size_t cublasLtGetVersion() { return CUBLAS_VER_MAJOR * 10000 + CUBLAS_VER_MINOR * 100 + CUBLAS_VER_PATCH; }

size_t cublasLtGetCudartVersion() { return CUDART_VERSION; }

cublasStatus_t cublasLtGetProperty(libraryPropertyType type, int* value) {
  switch (type) {
    case MAJOR_VERSION:
      *value = CUBLAS_VER_MAJOR;
      return CUBLAS_STATUS_SUCCESS;
    case MINOR_VERSION:
      *value = CUBLAS_VER_MINOR;
      return CUBLAS_STATUS_SUCCESS;
    case PATCH_LEVEL:
      *value = CUBLAS_VER_PATCH;
      return CUBLAS_STATUS_SUCCESS;
    default:
      return CUBLAS_STATUS_INVALID_VALUE;
  }
}

}  // extern "C"
