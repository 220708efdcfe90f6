// The arithmetic of the fake cuBLASLt: sums of fp32 products in the order of an algorithm, and epilogues.
#pragma once

#include "support/cuda/cublaslt/algorithms.hpp"
#include "support/cuda/cublaslt/problem.hpp"

namespace regatta::cuda_fakes::lt {

struct Operands {
  const void* a = nullptr;
  const void* b = nullptr;
  const void* c = nullptr;
  void* d = nullptr;
  float alpha = 1, beta = 0;
};

/// Computes the problem, all batches.
void compute(const Problem& problem, SumOrder order, const Operands& operands);

}  // namespace regatta::cuda_fakes::lt
