// A product in cuBLASLt's words. The library counts columns first: it is told of the transposed product, c' = b' a',
// whose operands lie in memory as ours do.
#pragma once

#include <cublasLt.h>

#include <memory>

#include "engine/cuda/products/product.hpp"

namespace regatta::engine::cuda {

struct DestroyLt {
  void operator()(cublasLtHandle_t handle) const noexcept { static_cast<void>(cublasLtDestroy(handle)); }
  void operator()(cublasLtMatmulDesc_t desc) const noexcept { static_cast<void>(cublasLtMatmulDescDestroy(desc)); }
  void operator()(cublasLtMatrixLayout_t layout) const noexcept {
    static_cast<void>(cublasLtMatrixLayoutDestroy(layout));
  }
  void operator()(cublasLtMatmulPreference_t preference) const noexcept {
    static_cast<void>(cublasLtMatmulPreferenceDestroy(preference));
  }
};

using LtHandle = std::unique_ptr<cublasLtContext, DestroyLt>;
using LtProduct = std::unique_ptr<cublasLtMatmulDescOpaque_t, DestroyLt>;
using LtLayout = std::unique_ptr<cublasLtMatrixLayoutOpaque_t, DestroyLt>;
using LtPreference = std::unique_ptr<cublasLtMatmulPreferenceOpaque_t, DestroyLt>;

/// Throws DeviceError.
LtHandle make_handle();

/// The library's description of a product and its operands. `first` is our b.
struct Descriptors {
  LtProduct product;
  LtLayout first, second, result;
};

Descriptors describe(const Product& product);

/// The bias is of n floats, and may be changed from call to call.
void set_epilogue(cublasLtMatmulDesc_t product, Epilogue epilogue, const float* bias);

/// The limits of an algorithm: so much workspace, and, where it is to be deterministic, sums whose order is fixed.
LtPreference make_preference(const Product& product, std::int64_t workspace_bytes, bool deterministic);

}  // namespace regatta::engine::cuda
