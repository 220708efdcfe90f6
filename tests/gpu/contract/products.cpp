#include "gpu/contract/products.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>

namespace regatta::gpu_contract {
namespace {

std::vector<float> numbers(std::int64_t count, unsigned seed) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<float> uniform(-1, 1);
  std::vector<float> values(static_cast<std::size_t>(count));
  std::generate(values.begin(), values.end(), [&] { return uniform(random); });
  return values;
}

}  // namespace

Bench::Bench(const engine::cuda::Product& product)
    : product_(product),
      handle_(engine::cuda::make_handle()),
      described_(engine::cuda::describe(product)),
      a_values_(numbers(product.m * product.k, 1)),
      b_values_(numbers(product.k * product.n, 2)),
      bias_values_(numbers(product.n, 3)),
      a_(a_values_.size()),
      b_(b_values_.size()),
      c_(static_cast<std::size_t>(product.m * product.n)),
      bias_(bias_values_.size()),
      workspace_(kWorkspaceBytes / sizeof(float), Start::unwritten) {
  a_.write(a_values_);
  b_.write(b_values_);
  bias_.write(bias_values_);
}

std::vector<cublasLtMatmulHeuristicResult_t> Bench::algorithms(bool deterministic, std::size_t workspace_bytes) {
  const auto preference =
      engine::cuda::make_preference(product_, static_cast<std::int64_t>(workspace_bytes), deterministic);
  std::vector<cublasLtMatmulHeuristicResult_t> results(8);
  int count = 0;
  status_ = cublasLtMatmulAlgoGetHeuristic(handle_.get(), described_.product.get(), described_.first.get(),
                                           described_.second.get(), described_.result.get(), described_.result.get(),
                                           preference.get(), 8, results.data(), &count);
  results.resize(static_cast<std::size_t>(count));
  return results;
}

void Bench::set_epilogue(engine::cuda::Epilogue epilogue) {
  engine::cuda::set_epilogue(described_.product.get(), epilogue, bias_.data);
}

void Bench::forget_bias() {
  const void* const none = nullptr;
  cublasLtMatmulDescSetAttribute(described_.product.get(), CUBLASLT_MATMUL_DESC_BIAS_POINTER, &none, sizeof none);
}

cublasStatus_t Bench::check(const cublasLtMatmulAlgo_t& algorithm) {
  cublasLtMatmulHeuristicResult_t result{};
  return cublasLtMatmulAlgoCheck(handle_.get(), described_.product.get(), described_.first.get(),
                                 described_.second.get(), described_.result.get(), described_.result.get(), &algorithm,
                                 &result);
}

cublasStatus_t Bench::run(const cublasLtMatmulAlgo_t* algorithm, std::size_t workspace_bytes) {
  const float one = 1;
  const float beta = product_.add_to_c ? 1 : 0;
  return cublasLtMatmul(handle_.get(), described_.product.get(), &one, b_.data, described_.first.get(), a_.data,
                        described_.second.get(), &beta, c_.data, described_.result.get(), c_.data,
                        described_.result.get(), algorithm, workspace_.data, workspace_bytes, streams_.first);
}

std::vector<float> Bench::result(const cublasLtMatmulAlgo_t& algorithm) {
  if (run(&algorithm) != CUBLAS_STATUS_SUCCESS) return {};
  return c_.read();
}

cudaError_t Bench::captured_nodes(const cublasLtMatmulAlgo_t& algorithm, std::size_t& nodes) {
  cudaGraph_t graph = nullptr;
  cudaStreamBeginCapture(streams_.first, cudaStreamCaptureModeThreadLocal);
  run(&algorithm);
  const cudaError_t error = cudaStreamEndCapture(streams_.first, &graph);
  if (error != cudaSuccess) return error;
  cudaGraphGetNodes(graph, nullptr, &nodes);
  return cudaGraphDestroy(graph);
}

void Bench::spoil() {
  a_values_[0] = std::nanf("");
  a_.write(a_values_);
}

std::vector<double> Bench::expected() const {
  std::vector<double> sums(static_cast<std::size_t>(product_.m * product_.n));
  const auto n = static_cast<std::size_t>(product_.n);
  const auto k = static_cast<std::size_t>(product_.k);
  for (std::size_t i = 0; i < static_cast<std::size_t>(product_.m); ++i) {
    for (std::size_t p = 0; p < k; ++p) {
      for (std::size_t j = 0; j < n; ++j) {
        sums[i * n + j] += static_cast<double>(a_values_[i * k + p]) * static_cast<double>(b_values_[p * n + j]);
      }
    }
  }
  return sums;
}

double distance(const std::vector<float>& got, const std::vector<double>& wanted) {
  if (got.size() != wanted.size()) return std::numeric_limits<double>::infinity();
  double largest = 0;
  double worst = 0;
  for (std::size_t i = 0; i < got.size(); ++i) {
    const double difference = std::abs(static_cast<double>(got[i]) - wanted[i]);
    if (!(difference < std::numeric_limits<double>::infinity())) return std::numeric_limits<double>::infinity();
    worst = std::max(worst, difference);
    largest = std::max(largest, std::abs(wanted[i]));
  }
  return worst / largest;
}

}  // namespace regatta::gpu_contract
