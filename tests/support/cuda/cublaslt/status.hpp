// Statuses of the fake cuBLASLt, with the reason of the last refusal.
#pragma once

#include <cublasLt.h>

#include <string>

#include "support/cuda/cublaslt/problem.hpp"

namespace regatta::cuda_fakes::lt {

/// Keeps the reason for cublasLtGetStatusString, and passes the status on.
cublasStatus_t told(const char* call, const Refusal& refusal);

/// The status that a call begins with: what was ordered; then, where it needs a device, what the driver says.
cublasStatus_t begin(const char* call);

}  // namespace regatta::cuda_fakes::lt
