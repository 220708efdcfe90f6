// Handles, heuristics and products of the fake cuBLASLt.
#include <algorithm>
#include <cstring>
#include <memory>
#include <vector>

#include "support/cuda/cublaslt/status.hpp"
#include "support/cuda/cublaslt/sums.hpp"
#include "support/cuda/runtime/enqueue.hpp"

namespace regatta::cuda_fakes::lt {
namespace {

constexpr std::uintptr_t kWorkspaceAlignment = 256;

Refusal invalid(const std::string& why) { return {CUBLAS_STATUS_INVALID_VALUE, why}; }

template <class Struct, class Opaque>
bool copy_if_alive(const Opaque* opaque, Struct& to) {
  if (!opaque) return false;
  std::memcpy(static_cast<void*>(&to), opaque, sizeof to);
  return to.mark == Struct{}.mark;
}

struct Descriptors {
  cublasLtMatmulDesc_t product;
  cublasLtMatrixLayout_t a, b, c, d;
};

Refusal read(cublasLtHandle_t handle, const Descriptors& from, Problem& to) {
  if (!is_library_handle(handle)) return {CUBLAS_STATUS_NOT_INITIALIZED, "no such handle, or destroyed"};
  const bool are_alive = copy_if_alive(from.product, to.product) && copy_if_alive(from.a, to.a) &&
                         copy_if_alive(from.b, to.b) && copy_if_alive(from.c, to.c) && copy_if_alive(from.d, to.d);
  if (!are_alive) return invalid("a descriptor that is none, or was destroyed");
  if (Refusal refusal = refusal_of(to); !refusal.why.empty()) return refusal;
  return refusal_of_epilogue(to);
}

void fill_result(const Problem& problem, const Algorithm& algorithm, cublasLtMatmulHeuristicResult_t& result) {
  result = {};
  result.algo = opaque_of(algorithm);
  result.workspaceSize = algorithm.workspace_bytes;
  result.state = CUBLAS_STATUS_SUCCESS;
  result.wavesCount = static_cast<float>(problem.m() * problem.n()) / (128.0F * 128.0F * 132.0F);
}

struct Call {
  Problem problem;
  Algorithm algorithm;
  Operands on;
  void* workspace = nullptr;
  std::size_t workspace_bytes = 0;
};

bool is_aligned(const void* memory, std::uintptr_t bytes) {
  return reinterpret_cast<std::uintptr_t>(memory) % bytes == 0;
}

/// The mistake in a call that the library answers with wrong results, or with a fault of the device; empty: none.
std::string complaint_of(const Call& call) {
  const Problem& p = call.problem;
  const struct {
    const void* memory;
    const char* name;
  } operands[] = {{call.on.a, "A"}, {call.on.b, "B"}, {call.on.c, "C"}, {call.on.d, "D"}};
  for (std::size_t i = 0; i < 4; ++i) {
    if (i == 2 && call.on.beta == 0) continue;
    const std::uint32_t told = alignment_of(call.algorithm, i);
    if (!is_aligned(operands[i].memory, told)) {
      return std::string(operands[i].name) + " is not aligned to " + std::to_string(told) +
             " bytes, as the heuristics were told";
    }
  }
  if (call.workspace_bytes > 0 && !is_aligned(call.workspace, kWorkspaceAlignment)) {
    return "the workspace is not aligned to 256 bytes";
  }
  if (call.on.beta != 0 && call.on.c == call.on.d && (p.c.leading != p.d.leading || p.c.order != p.d.order)) {
    return "C and D are one memory with two layouts";
  }
  const auto overlaps = [&](const void* memory, std::size_t bytes) {
    const auto* const from = static_cast<const char*>(memory);
    const auto* const to = static_cast<const char*>(call.on.d);
    return from < to + p.d.bytes() && to < from + bytes;
  };
  if (overlaps(call.on.a, p.a.bytes()) || overlaps(call.on.b, p.b.bytes())) return "D overlaps an operand";
  return "";
}

std::vector<Range> ranges_of(const Call& call) {
  const Problem& p = call.problem;
  const cublasLtEpilogue_t epilogue = p.product.epilogue;
  std::vector<Range> ranges{
      {call.on.a, p.a.bytes(), false, "A"}, {call.on.b, p.b.bytes(), false, "B"}, {call.on.d, p.d.bytes(), true, "D"}};
  if (call.on.beta != 0) ranges.push_back({call.on.c, p.c.bytes(), false, "C"});
  if (call.algorithm.workspace_bytes > 0) {
    ranges.push_back({call.workspace, call.algorithm.workspace_bytes, true, "workspace"});
  }
  if (adds_bias(epilogue) || sums_gradient(epilogue)) {
    const std::int64_t elements = bias_length(p) + (p.d.batches - 1) * p.product.bias_stride;
    ranges.push_back({p.product.bias, static_cast<std::size_t>(elements) * 4, sums_gradient(epilogue), "bias"});
  }
  if (writes_bits(epilogue) || reads_bits(epilogue)) {
    const std::int64_t bits = p.n() * p.product.bits_leading + (p.d.batches - 1) * p.product.bits_stride;
    ranges.push_back({p.product.bits, static_cast<std::size_t>(bits) / 8, writes_bits(epilogue), "auxiliary bits"});
  }
  return ranges;
}

Refusal refusal_of(const Call& call, const cublasLtMatmulAlgo_t* opaque) {
  const cublasLtEpilogue_t epilogue = call.problem.product.epilogue;
  if (!opaque) return invalid("the fake wants an algorithm: without one the library chooses at each call");
  if (Refusal refusal = refusal_of(call.algorithm, call.problem); !refusal.why.empty()) return refusal;
  if (Refusal refusal = refusal_when_run(call.algorithm, call.problem); !refusal.why.empty()) return refusal;
  if (!call.on.a || !call.on.b || !call.on.d || (call.on.beta != 0 && !call.on.c)) return invalid("a null operand");
  if (call.algorithm.workspace_bytes > call.workspace_bytes || (call.workspace_bytes > 0 && !call.workspace)) {
    return invalid("workspace of " + std::to_string(call.workspace_bytes) + " bytes, the algorithm needs " +
                   std::to_string(call.algorithm.workspace_bytes));
  }
  if (epilogue == CUBLASLT_EPILOGUE_DEFAULT && call.problem.product.bias != nullptr) {
    return invalid("a bias and no epilogue that adds it");  // as cuBLASLt 13.1 does
  }
  if ((adds_bias(epilogue) || sums_gradient(epilogue)) && !call.problem.product.bias) {
    return invalid("an epilogue with bias and no pointer to one");
  }
  if ((writes_bits(epilogue) || reads_bits(epilogue)) && !call.problem.product.bits) {
    return invalid("an epilogue with auxiliary bits and no pointer to them");
  }
  return {};
}

cublasStatus_t issue(const char* name, std::shared_ptr<const Call> call, cudaStream_t stream) {
  const Problem& p = call->problem;
  Work work{name, WorkKind::product};
  work.ranges = ranges_of(*call);
  for (const Range& range : work.ranges) work.bytes += static_cast<std::int64_t>(range.bytes);
  work.flop = 2 * p.m() * p.n() * p.k() * p.d.batches;
  work.seconds = seconds_of(call->algorithm, p);
  work.run = [call] {
    if (call->algorithm.workspace_bytes > 0) std::memset(call->workspace, 0xff, call->algorithm.workspace_bytes);
    compute(call->problem, call->algorithm.order, call->on);
  };
  const cudaError_t error = enqueue(stream, std::move(work));
  if (error == cudaSuccess) return CUBLAS_STATUS_SUCCESS;
  return told(name, {CUBLAS_STATUS_EXECUTION_FAILED, cudaGetErrorString(error)});
}

}  // namespace
}  // namespace regatta::cuda_fakes::lt

using namespace regatta::cuda_fakes;
using namespace regatta::cuda_fakes::lt;

extern "C" {

cublasStatus_t cublasLtCreate(cublasLtHandle_t* handle) {
  if (const cublasStatus_t status = begin(__func__); status != CUBLAS_STATUS_SUCCESS) return status;
  int device = 0;
  if (const cudaError_t error = cudaGetDevice(&device); error != cudaSuccess) {
    return told(__func__, {CUBLAS_STATUS_NOT_INITIALIZED, cudaGetErrorString(error)});
  }
  *handle = static_cast<cublasLtHandle_t>(make_library_handle());
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtDestroy(cublasLtHandle_t handle) {
  return drop_library_handle(handle) ? CUBLAS_STATUS_SUCCESS
                                     : told(__func__, {CUBLAS_STATUS_NOT_INITIALIZED, "no such handle, or destroyed"});
}

cublasStatus_t cublasLtMatmulAlgoGetHeuristic(cublasLtHandle_t handle, cublasLtMatmulDesc_t product,
                                              cublasLtMatrixLayout_t a, cublasLtMatrixLayout_t b,
                                              cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                              cublasLtMatmulPreference_t wanted, int capacity,
                                              cublasLtMatmulHeuristicResult_t results[], int* count) {
  if (const cublasStatus_t status = begin(__func__); status != CUBLAS_STATUS_SUCCESS) return status;
  *count = 0;
  Problem problem;
  Preference preference;
  if (const Refusal refusal = read(handle, {product, a, b, c, d}, problem); !refusal.why.empty()) {
    return told(__func__, refusal);
  }
  if (!copy_if_alive(wanted, preference) || capacity < 1) return told(__func__, invalid("no preference, or no room"));
  count_heuristic();
  for (const Algorithm& algorithm : algorithms_for(problem, preference)) {
    if (*count < capacity) fill_result(problem, algorithm, results[(*count)++]);
  }
  if (*count > 0) return CUBLAS_STATUS_SUCCESS;
  return told(__func__, {CUBLAS_STATUS_NOT_SUPPORTED, "no algorithm does that"});
}

cublasStatus_t cublasLtMatmulAlgoCheck(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, cublasLtMatrixLayout_t a,
                                       cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
                                       const cublasLtMatmulAlgo_t* opaque, cublasLtMatmulHeuristicResult_t* result) {
  if (const cublasStatus_t status = begin(__func__); status != CUBLAS_STATUS_SUCCESS) return status;
  Problem problem;
  Algorithm algorithm;
  if (const Refusal refusal = read(handle, {product, a, b, c, d}, problem); !refusal.why.empty()) {
    return told(__func__, refusal);
  }
  if (!opaque || !read(*opaque, algorithm)) return told(__func__, invalid("no algorithm of this library"));
  if (const Refusal refusal = refusal_of(algorithm, problem); !refusal.why.empty()) return told(__func__, refusal);
  fill_result(problem, algorithm, *result);
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmulAlgoConfigGetAttribute(const cublasLtMatmulAlgo_t* opaque,
                                                    cublasLtMatmulAlgoConfigAttributes_t attribute, void* to,
                                                    size_t bytes, size_t* written) {
  Algorithm algorithm;
  if (!opaque || !read(*opaque, algorithm)) return told(__func__, invalid("no algorithm of this library"));
  std::uint32_t value = 0;
  switch (attribute) {
    case CUBLASLT_ALGO_CONFIG_ID:
      value = static_cast<std::uint32_t>(algorithm.id);
      break;
    case CUBLASLT_ALGO_CONFIG_SPLITK_NUM:
      value = algorithm.order == SumOrder::split ? 4 : 1;
      break;
    case CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME:
      value = scheme_of(algorithm);
      break;
    default:
      return told(__func__, {CUBLAS_STATUS_NOT_SUPPORTED, "the fake does not know this attribute"});
  }
  if (bytes < sizeof value) return told(__func__, invalid("too small a buffer"));
  std::memcpy(to, &value, sizeof value);
  if (written) *written = sizeof value;
  return CUBLAS_STATUS_SUCCESS;
}

cublasStatus_t cublasLtMatmul(cublasLtHandle_t handle, cublasLtMatmulDesc_t product, const void* alpha, const void* a,
                              cublasLtMatrixLayout_t layout_a, const void* b, cublasLtMatrixLayout_t layout_b,
                              const void* beta, const void* c, cublasLtMatrixLayout_t layout_c, void* d,
                              cublasLtMatrixLayout_t layout_d, const cublasLtMatmulAlgo_t* opaque, void* workspace,
                              size_t workspace_bytes, cudaStream_t stream) {
  if (const cublasStatus_t status = begin(__func__); status != CUBLAS_STATUS_SUCCESS) return status;
  auto call = std::make_shared<Call>();
  if (const Refusal refusal = read(handle, {product, layout_a, layout_b, layout_c, layout_d}, call->problem);
      !refusal.why.empty()) {
    return told(__func__, refusal);
  }
  if (!alpha || !beta) return told(__func__, invalid("a null alpha or beta"));
  if (opaque && !read(*opaque, call->algorithm)) return told(__func__, invalid("no algorithm of this library"));
  call->on = {a, b, c, d, *static_cast<const float*>(alpha), *static_cast<const float*>(beta)};
  call->workspace = workspace;
  call->workspace_bytes = workspace_bytes;
  if (const Refusal refusal = refusal_of(*call, opaque); !refusal.why.empty()) return told(__func__, refusal);
  if (const std::string why = complaint_of(*call); !why.empty()) complain("cublasLtMatmul: " + why);
  return issue(__func__, std::move(call), stream);
}

}  // extern "C"
