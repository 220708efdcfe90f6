#include "support/cuda/cublaslt/algorithms.hpp"

#include <algorithm>
#include <cstring>

namespace regatta::cuda_fakes::lt {
namespace {

constexpr std::uint64_t kMark = 0x616c676f72690a04;
constexpr std::uint64_t kSplitWorkspaceBytes = 64 * 1024;
constexpr int kOrders = 4;  // orders that are named for bare products

std::uint64_t mix(std::uint64_t hash, std::uint64_t value) {
  hash ^= value + 0x9e3779b97f4a7c15ULL + (hash << 6) + (hash >> 2);
  hash = (hash ^ (hash >> 30)) * 0xbf58476d1ce4e5b9ULL;
  return hash ^ (hash >> 31);
}

/// A leading dimension counts by its alignment only, as for kernels that load several elements at once.
std::uint64_t digest(const Problem& p) {
  std::uint64_t hash = 1;
  const auto add = [&](auto value) { hash = mix(hash, static_cast<std::uint64_t>(value)); };
  add(p.product.compute);
  add(p.product.transpose_a);
  add(p.product.transpose_b);
  for (const Layout* layout : {&p.a, &p.b, &p.c, &p.d}) {
    add(layout->type);
    add(layout->order);
    add(layout->rows);
    add(layout->columns);
    add(layout->batches);
    const auto bytes = static_cast<std::uint64_t>(layout->leading) * layout->element_bytes();
    add(std::min<std::uint64_t>(bytes & (~bytes + 1), 16));
  }
  return hash;
}

int family(const Problem& p) {
  if (p.a.type == CUDA_R_16BF) return 60;
  switch (p.product.compute) {
    case CUBLAS_COMPUTE_32F_FAST_TF32:
      return 40;
    case CUBLAS_COMPUTE_32F_PEDANTIC:
      return 20;
    default:
      return 0;
  }
}

}  // namespace

std::uint32_t scheme_of(const Algorithm& algorithm) {
  return algorithm.order == SumOrder::split ? CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE : CUBLASLT_REDUCTION_SCHEME_NONE;
}

std::uint32_t alignment_of(const Algorithm& algorithm, std::size_t operand) {
  return algorithm.alignments[operand] == 0 ? 256 : algorithm.alignments[operand];
}

std::vector<Algorithm> algorithms_for(const Problem& problem, const Preference& preference) {
  const std::uint64_t hash = digest(problem);
  std::vector<SumOrder> orders;
  for (int i = 0; i < kOrders; ++i) {
    orders.push_back(static_cast<SumOrder>((hash + static_cast<std::uint64_t>(i)) % kOrders));
  }
  if (problem.product.epilogue != CUBLASLT_EPILOGUE_DEFAULT) orders.push_back(SumOrder::short_blocks);
  std::vector<Algorithm> found;
  for (const SumOrder order : orders) {
    Algorithm algorithm{kMark, hash, 0, order, family(problem) + static_cast<int>(order), {}};
    if (order == SumOrder::split) algorithm.workspace_bytes = kSplitWorkspaceBytes;
    for (std::size_t operand = 0; operand < 4; ++operand) {
      algorithm.alignments[operand] = static_cast<std::uint8_t>(std::min(preference.alignments[operand], 256U));
    }
    const std::uint32_t scheme = scheme_of(algorithm);
    if (algorithm.workspace_bytes > preference.workspace_bytes) continue;
    if (scheme != CUBLASLT_REDUCTION_SCHEME_NONE && !(scheme & preference.schemes)) continue;
    if (!refusal_when_run(algorithm, problem).why.empty()) continue;
    found.push_back(algorithm);
  }
  return found;
}

bool read(const cublasLtMatmulAlgo_t& opaque, Algorithm& algorithm) {
  std::memcpy(&algorithm, &opaque, sizeof algorithm);
  return algorithm.mark == kMark;
}

cublasLtMatmulAlgo_t opaque_of(const Algorithm& algorithm) {
  cublasLtMatmulAlgo_t opaque{};
  std::memcpy(&opaque, &algorithm, sizeof algorithm);
  return opaque;
}

Refusal refusal_of(const Algorithm& algorithm, const Problem& problem) {
  if (algorithm.problem == digest(problem)) return {};
  return {CUBLAS_STATUS_NOT_SUPPORTED, "the algorithm was chosen for another problem"};
}

Refusal refusal_when_run(const Algorithm& algorithm, const Problem& problem) {
  if (problem.product.epilogue == CUBLASLT_EPILOGUE_DEFAULT) return {};
  const bool is_odd_one = algorithm.order == SumOrder::ascending && algorithm.problem % 2 == 1;
  if (algorithm.order != SumOrder::split && !is_odd_one) return {};
  return {CUBLAS_STATUS_INVALID_VALUE, "the algorithm does not run with this epilogue"};
}

double seconds_of(const Algorithm& algorithm, const Problem& problem) {
  constexpr double kFlopPerSecond = 4e13;
  const double flop = 2.0 * static_cast<double>(problem.m()) * static_cast<double>(problem.n()) *
                      static_cast<double>(problem.k()) * problem.d.batches;
  const auto share = mix(algorithm.problem, static_cast<std::uint64_t>(algorithm.order)) % 100;
  return (1e-6 + flop / kFlopPerSecond) * (1.0 + static_cast<double>(share) / 100.0);
}

}  // namespace regatta::cuda_fakes::lt
