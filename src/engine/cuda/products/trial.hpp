// A product is tried before anybody needs its result: that the library takes an algorithm when it is asked tells not
// that it runs it.
#pragma once

#include <cublasLt.h>

#include <optional>

#include "engine/cuda/device/handles.hpp"
#include "engine/cuda/device/memory_source.hpp"
#include "engine/cuda/device/target.hpp"
#include "engine/cuda/products/descriptors.hpp"
#include "engine/cuda/products/product.hpp"

namespace regatta::engine::cuda {

/// Issues the product as it is described, its epilogue included; the library's answer.
cublasStatus_t multiply(cublasLtHandle_t handle, const Target& target, const Descriptors& described,
                        const Product& product, const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b,
                        float* c);

/// Whether the library says that the algorithm computes what is described, in that much workspace. Some that it says
/// so of it refuses when they run.
bool fits(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm,
          std::int64_t workspace_bytes);

/// Operands of a product, with numbers of either sign. Between calls the product is described without an epilogue. A
/// refusal of the library is an answer, whatever its status; what ends the device is thrown.
class Trial {
 public:
  /// Throws std::bad_alloc.
  Trial(cublasLtHandle_t handle, const Descriptors& described, const Product& product, const Target& target,
        const DeviceMemorySource& memory);
  ~Trial();
  Trial(const Trial&) = delete;
  Trial& operator=(const Trial&) = delete;

  /// Whether the library runs it; waits for that.
  bool runs(const cublasLtMatmulAlgo_t& algorithm);

  /// Seconds of one run among others in a graph: the shortest of some. Null: refused.
  std::optional<double> seconds(const cublasLtMatmulAlgo_t& algorithm);

  /// Whether the algorithm runs with the epilogue, gives every bit of the bare product with bias and activation behind
  /// it, and keeps what is no number: a training that diverged would look well.
  bool has(const cublasLtMatmulAlgo_t& algorithm, Epilogue epilogue);

  [[nodiscard]] const float* bias() const { return static_cast<const float*>(bias_); }
  /// The last one.
  [[nodiscard]] cublasStatus_t refusal() const { return refusal_; }

 private:
  bool issue(const cublasLtMatmulAlgo_t& algorithm, void* c);
  bool took(cublasStatus_t status);
  GraphExec recorded(const cublasLtMatmulAlgo_t& algorithm, int runs);
  bool keeps_nan(const cublasLtMatmulAlgo_t& algorithm);
  bool has_bits_of_parts(const cublasLtMatmulAlgo_t& algorithm, Epilogue epilogue);
  bool same_bits(const void* device_a, const void* device_b, std::int64_t bytes);
  void fill(void* memory, std::int64_t bytes, std::uint64_t seed);

  cublasLtHandle_t handle_;
  const Descriptors& described_;
  Product product_;
  Target target_;
  const DeviceMemorySource& memory_;
  std::int64_t a_bytes_, b_bytes_, c_bytes_;
  void *a_ = nullptr, *b_ = nullptr, *c_ = nullptr, *bias_ = nullptr;
  void* parts_ = nullptr;  ///< as c_; taken when an epilogue is tried
  cublasStatus_t refusal_ = CUBLAS_STATUS_SUCCESS;
};

}  // namespace regatta::engine::cuda
