// The algorithm of cuBLASLt that computes a product.
#pragma once

#include <cublasLt.h>

#include <optional>
#include <span>
#include <vector>

#include "engine/cuda/products/algorithms_file.hpp"
#include "engine/cuda/products/settings.hpp"
#include "engine/cuda/products/trial.hpp"

namespace regatta::engine::cuda {

/// Chooses among those that the library's heuristics name, and that it runs: the first one, or where choices are kept
/// the fastest.
class Choosing {
 public:
  Choosing(ProductSettings settings, const Target& target);

  /// `trial`: of this product; null where memory does not suffice for one, and the heuristics are believed. Throws
  /// DeviceError where the library computes it by none.
  cublasLtMatmulAlgo_t choose(cublasLtHandle_t handle, const Product& product, const Descriptors& described,
                              Trial* trial);

 private:
  using Algorithms = std::vector<cublasLtMatmulAlgo_t>;

  [[nodiscard]] Algorithms candidates(cublasLtHandle_t handle, const Product& product, const Descriptors& described,
                                      const Trial* trial) const;
  cublasStatus_t ask(cublasLtHandle_t handle, const Product& product, const Descriptors& described,
                     Algorithms& found) const;
  std::optional<cublasLtMatmulAlgo_t> fastest_of(std::span<const cublasLtMatmulAlgo_t> algorithms,
                                                 const Product& product, Trial& trial);

  ProductSettings settings_;
  std::int64_t workspace_bytes_;
  AlgorithmsFile file_;
  double seconds_left_;
};

}  // namespace regatta::engine::cuda
