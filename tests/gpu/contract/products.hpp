// One product of the contract, described as the engine describes it.
#pragma once

#include <optional>
#include <vector>

#include "engine/cuda/products/descriptors.hpp"
#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {

inline constexpr std::size_t kWorkspaceBytes = std::size_t{32} << 20;

/// A library's handle, a product with operands of some numbers, and its algorithms.
class Bench {
 public:
  explicit Bench(const engine::cuda::Product& product);

  /// As the engine asks for them; at most eight, the best first.
  std::vector<cublasLtMatmulHeuristicResult_t> algorithms(bool deterministic = true,
                                                          std::size_t workspace_bytes = kWorkspaceBytes);
  /// The status that the last call of algorithms() ended with.
  [[nodiscard]] cublasStatus_t status() const { return status_; }

  void set_epilogue(engine::cuda::Epilogue epilogue);
  cublasStatus_t check(const cublasLtMatmulAlgo_t& algorithm);
  cublasStatus_t run(const cublasLtMatmulAlgo_t* algorithm, std::size_t workspace_bytes = kWorkspaceBytes);

  /// Runs it, waits and reads; empty: it was refused.
  std::vector<float> result(const cublasLtMatmulAlgo_t& algorithm);

  /// How many nodes it is in a captured graph.
  cudaError_t captured_nodes(const cublasLtMatmulAlgo_t& algorithm, std::size_t& nodes);

  /// c in double, where a and b are fp32 and not transposed.
  [[nodiscard]] std::vector<double> expected() const;

  [[nodiscard]] const std::vector<float>& bias_values() const { return bias_values_; }

  /// Puts what is no number into a.
  void spoil();

  cublasLtHandle_t handle() { return handle_.get(); }
  engine::cuda::Descriptors& described() { return described_; }
  void forget_bias();

 private:
  engine::cuda::Product product_;
  Streams streams_;
  engine::cuda::LtHandle handle_;
  engine::cuda::Descriptors described_;
  std::vector<float> a_values_, b_values_, bias_values_;
  DeviceFloats a_, b_, c_, bias_, workspace_;
  cublasStatus_t status_ = CUBLAS_STATUS_SUCCESS;
};

/// The largest difference of two results, relative to the largest value; infinite where what is no number stands.
double distance(const std::vector<float>& got, const std::vector<double>& wanted);

}  // namespace regatta::gpu_contract
