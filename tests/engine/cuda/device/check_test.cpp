#include "engine/cuda/device/check.hpp"

#include <new>

#include "engine/cuda/cuda_test.hpp"

namespace regatta::engine::cuda {
namespace {

class Check : public CudaTest {};

TEST_F(Check, ACallThatEndedWellThrowsNothing) {
  EXPECT_NO_THROW(require(cudaSuccess, "cudaMalloc"));
  EXPECT_NO_THROW(require(CUBLAS_STATUS_SUCCESS, "cublasLtMatmul"));
}

TEST_F(Check, WantOfMemoryIsBadAlloc) {
  EXPECT_THROW(require(cudaErrorMemoryAllocation, "cudaMalloc"), std::bad_alloc);
  EXPECT_THROW(require(CUBLAS_STATUS_ALLOC_FAILED, "cublasLtCreate"), std::bad_alloc);
}

TEST_F(Check, OtherErrorsNameTheCallAndTheReason) {
  EXPECT_THAT(text_thrown<DeviceError>([] { require(cudaErrorInvalidValue, "cudaMemcpyAsync"); }),
              testing::AllOf(testing::StartsWith("cudaMemcpyAsync: cudaErrorInvalidValue: "),
                             testing::HasSubstr("(the device did not take the call)")));
  EXPECT_THAT(text_thrown<DeviceError>([] { require(CUBLAS_STATUS_NOT_SUPPORTED, "cublasLtMatmul"); }),
              testing::AllOf(testing::StartsWith("cublasLtMatmul: CUBLAS_STATUS_NOT_SUPPORTED: "),
                             testing::HasSubstr("matrix product")));
}

TEST_F(Check, ErrorsThatStayAreToldApart) {
  for (const cudaError_t error : {cudaErrorIllegalAddress, cudaErrorLaunchFailure, cudaErrorECCUncorrectable,
                                  cudaErrorLaunchTimeout, cudaErrorUnknown, cudaErrorMisalignedAddress}) {
    EXPECT_TRUE(stays(error)) << cudaGetErrorName(error);
    EXPECT_THAT(text_thrown<LostDevice>([&] { require(error, "cudaEventSynchronize"); }),
                testing::HasSubstr("cannot use the device any more"));
  }
  for (const cudaError_t error : {cudaErrorMemoryAllocation, cudaErrorInvalidValue, cudaErrorNotSupported,
                                  cudaErrorInsufficientDriver, cudaErrorInvalidConfiguration})
    EXPECT_FALSE(stays(error)) << cudaGetErrorName(error);
}

TEST_F(Check, AnErrorThatPassesIsNotMetAgain) {
  void* memory = nullptr;
  control.fail_next("cudaMalloc", cudaErrorInvalidValue, 0);
  const cudaError_t error = cudaMalloc(&memory, 4);
  EXPECT_THROW(require(error, "cudaMalloc"), DeviceError);
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

}  // namespace
}  // namespace regatta::engine::cuda
