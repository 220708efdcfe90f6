// A product is tried before anybody needs its result.
#pragma once

#include <cublasLt.h>

#include "engine/cuda/device/memory_source.hpp"
#include "engine/cuda/device/target.hpp"
#include "engine/cuda/products/descriptors.hpp"
#include "engine/cuda/products/product.hpp"

namespace regatta::engine::cuda {

/// Issues the product as it is described, its epilogue included.
void multiply(cublasLtHandle_t handle, const Target& target, const Descriptors& described, const Product& product,
              const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b, float* c);

/// Operands of a product, of no particular values.
class Trial {
 public:
  /// Throws std::bad_alloc.
  Trial(const Product& product, const Target& target, const DeviceMemorySource& memory);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Runs it once, and waits.
  void run(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm);

  /// Seconds of one run: the shortest of some.
  double seconds(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm);

  /// Whether what is no number in a is none in c, behind an epilogue with this product's bias.
  bool keeps_nan(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm);

  [[nodiscard]] const float* bias() const { return static_cast<const float*>(bias_); }

 private:
  void issue(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm);

  Product product_;
  Target target_;
  const DeviceMemorySource& memory_;
  std::int64_t a_bytes_, b_bytes_, c_bytes_;
  void *a_ = nullptr, *b_ = nullptr, *c_ = nullptr, *bias_ = nullptr;
};

}  // namespace regatta::engine::cuda
