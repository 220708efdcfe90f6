#include "engine/cuda/products/trial.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/cuda/device/handles.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr int kTimedRuns = 3;
constexpr int kSmallByte = 0x3c;  // four of it are the float 0.0115, two the same in bf16
constexpr int kNanByte = 0xff;

/// Bytes from the first stored row to the end of the last.
std::int64_t stored_bytes(std::int64_t rows, std::int64_t columns, std::int64_t row, std::int64_t element_bytes) {
  return ((rows - 1) * row + columns) * element_bytes;
}

}  // namespace

void multiply(cublasLtHandle_t handle, const Target& target, const Descriptors& described, const Product& product,
              const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b, float* c) {
  const float one = 1, old = product.add_to_c ? 1 : 0;
  require(cublasLtMatmul(handle, described.product.get(), &one, b, described.first.get(), a, described.second.get(),
                         &old, c, described.result.get(), c, described.result.get(), &algorithm, target.workspace,
                         static_cast<std::size_t>(target.workspace_bytes), target.stream),
          "cublasLtMatmul");
}

Trial::Trial(const Product& product, const Target& target, const DeviceMemorySource& memory)
    : product_(product), target_(target), memory_(memory) {
  const std::int64_t element = product.precision == Precision::bf16 ? 2 : 4;
  const bool ta = product.transpose_a, tb = product.transpose_b;
  a_bytes_ = stored_bytes(ta ? product.k : product.m, ta ? product.m : product.k, product.row_a, element);
  b_bytes_ = stored_bytes(tb ? product.n : product.k, tb ? product.k : product.n, product.row_b, element);
  c_bytes_ = stored_bytes(product.m, product.n, product.row_c, sizeof(float));
  try {
    a_ = memory.allocate(a_bytes_);
    b_ = memory.allocate(b_bytes_);
    c_ = memory.allocate(c_bytes_);
    bias_ = memory.allocate(product.n * static_cast<std::int64_t>(sizeof(float)));
    for (const auto& [place, bytes] : {std::pair{a_, a_bytes_}, {b_, b_bytes_}, {c_, c_bytes_}, {bias_, product.n * 4}})
      require(cudaMemsetAsync(place, kSmallByte, static_cast<std::size_t>(bytes), target.stream), "cudaMemsetAsync");
  } catch (...) {
    for (void* const place : {a_, b_, c_, bias_}) memory_.release(place);
    throw;
  }
}

Trial::~Trial() {
  for (void* const place : {a_, b_, c_, bias_}) memory_.release(place);
}

void Trial::issue(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm) {
  multiply(handle, target_, described, product_, algorithm, a_, b_, static_cast<float*>(c_));
}

void Trial::run(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm) {
  issue(handle, described, algorithm);
  require(cudaStreamSynchronize(target_.stream), "cudaStreamSynchronize");
}

double Trial::seconds(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm) {
  run(handle, described, algorithm);
  const EventHandle begin = make_timed_event(), end = make_timed_event();
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i < kTimedRuns; ++i) {
    require(cudaEventRecord(begin.get(), target_.stream), "cudaEventRecord");
    issue(handle, described, algorithm);
    require(cudaEventRecord(end.get(), target_.stream), "cudaEventRecord");
    require(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
    shortest = std::min(shortest, static_cast<double>(milliseconds) * 1e-3);
  }
  return shortest;
}

bool Trial::keeps_nan(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm) {
  const auto bytes = static_cast<std::size_t>(a_bytes_);
  require(cudaMemsetAsync(a_, kNanByte, bytes, target_.stream), "cudaMemsetAsync");
  issue(handle, described, algorithm);
  const Pinned found = make_pinned(sizeof(float));
  require(cudaMemcpyAsync(found.get(), c_, sizeof(float), cudaMemcpyDeviceToHost, target_.stream), "cudaMemcpyAsync");
  require(cudaMemsetAsync(a_, kSmallByte, bytes, target_.stream), "cudaMemsetAsync");
  require(cudaStreamSynchronize(target_.stream), "cudaStreamSynchronize");
  return std::isnan(*reinterpret_cast<const float*>(found.get()));
}

}  // namespace regatta::engine::cuda
