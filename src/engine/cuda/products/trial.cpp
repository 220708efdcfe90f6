#include "engine/cuda/products/trial.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <limits>
#include <new>

#include "engine/cuda/kernels/parts.hpp"
#include "regatta/base/random.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr int kTimings = 3;
constexpr std::int64_t kTimedWork = 200'000'000;  // multiply-adds between two events, which tell some microseconds
constexpr std::int64_t kMostTimedRuns = 10;
constexpr int kNanByte = 0xff;
constexpr std::uint64_t kSeedOfA = 1;  // the other operands have those behind it
constexpr std::uint64_t kSeedsOfRounds = 16;
constexpr std::int64_t kComparedResults = 256;  // bits of a few may be the same by chance
constexpr std::int64_t kMostRounds = 64;
constexpr std::int64_t kComparedBytes = std::int64_t{1} << 20;  // at a time

/// Bytes from the first stored row to the end of the last.
std::int64_t stored_bytes(std::int64_t rows, std::int64_t columns, std::int64_t row, std::int64_t element_bytes) {
  return ((rows - 1) * row + columns) * element_bytes;
}

/// Each word is a float, or two of bf16, of either sign and of sizes from 2^-7 to 2. A prime number of them: a matrix
/// that repeats them has no two rows alike.
std::array<std::uint32_t, 4093> some_numbers(std::uint64_t seed) {
  constexpr std::uint32_t kRandomBits = 0x83ff83ff, kExponents = 0x3c003c00;
  std::array<std::uint32_t, 4093> words{};
  for (std::size_t i = 0; i < words.size(); ++i)
    words[i] = (static_cast<std::uint32_t>(random_bits(seed, i)) & kRandomBits) | kExponents;
  return words;
}

/// The algorithm does not do it; other errors are the device's.
bool is_refusal(cublasStatus_t status) {
  return status == CUBLAS_STATUS_INVALID_VALUE || status == CUBLAS_STATUS_NOT_SUPPORTED ||
         status == CUBLAS_STATUS_ARCH_MISMATCH;
}

std::size_t size_of(std::int64_t bytes) { return static_cast<std::size_t>(bytes); }

}  // namespace

cublasStatus_t multiply(cublasLtHandle_t handle, const Target& target, const Descriptors& described,
                        const Product& product, const cublasLtMatmulAlgo_t& algorithm, const void* a, const void* b,
                        float* c) {
  const float one = 1, old = product.add_to_c ? 1 : 0;
  return cublasLtMatmul(handle, described.product.get(), &one, b, described.first.get(), a, described.second.get(),
                        &old, c, described.result.get(), c, described.result.get(), &algorithm, target.workspace,
                        size_of(target.workspace_bytes), target.stream);
}

bool fits(cublasLtHandle_t handle, const Descriptors& described, const cublasLtMatmulAlgo_t& algorithm,
          std::int64_t workspace_bytes) {
  cublasLtMatmulHeuristicResult_t result{};
  const cublasStatus_t status =
      cublasLtMatmulAlgoCheck(handle, described.product.get(), described.first.get(), described.second.get(),
                              described.result.get(), described.result.get(), &algorithm, &result);
  return status == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= size_of(workspace_bytes);
}

Trial::Trial(cublasLtHandle_t handle, const Descriptors& described, const Product& product, const Target& target,
             const DeviceMemorySource& memory)
    : handle_(handle), described_(described), product_(product), target_(target), memory_(memory) {
  const std::int64_t element = product.precision == Precision::bf16 ? 2 : 4;
  const bool ta = product.transpose_a, tb = product.transpose_b;
  a_bytes_ = stored_bytes(ta ? product.k : product.m, ta ? product.m : product.k, product.row_a, element);
  b_bytes_ = stored_bytes(tb ? product.n : product.k, tb ? product.k : product.n, product.row_b, element);
  c_bytes_ = stored_bytes(product.m, product.n, product.row_c, sizeof(float));
  const std::int64_t bias_bytes = product.n * static_cast<std::int64_t>(sizeof(float));
  try {
    std::uint64_t seed = kSeedOfA;
    for (const auto& [place, bytes] :
         {std::pair{&a_, a_bytes_}, {&b_, b_bytes_}, {&c_, c_bytes_}, {&bias_, bias_bytes}})
      fill(*place = memory.allocate(bytes), bytes, seed++);
  } catch (...) {
    for (void* const place : {a_, b_, c_, bias_}) memory_.release(place);
    throw;
  }
}

Trial::~Trial() {
  for (void* const place : {a_, b_, c_, bias_, parts_}) memory_.release(place);
}

void Trial::fill(void* memory, std::int64_t bytes, std::uint64_t seed) {
  const auto numbers = some_numbers(seed);
  auto* const begin = static_cast<char*>(memory);
  std::int64_t filled = std::min<std::int64_t>(bytes, sizeof numbers);
  require(cudaMemcpyAsync(begin, numbers.data(), size_of(filled), cudaMemcpyHostToDevice, target_.stream),
          "cudaMemcpyAsync");
  for (std::int64_t more = 0; filled < bytes; filled += more) {
    more = std::min(filled, bytes - filled);
    require(cudaMemcpyAsync(begin + filled, begin, size_of(more), cudaMemcpyDeviceToDevice, target_.stream),
            "cudaMemcpyAsync");
  }
}

bool Trial::took(cublasStatus_t status) {
  if (status == CUBLAS_STATUS_SUCCESS) return true;
  if (!is_refusal(status) || stays(cudaPeekAtLastError())) require(status, "cublasLtMatmul");
  cudaGetLastError();  // no later call shall meet it
  refusal_ = status;
  return false;
}

bool Trial::issue(const cublasLtMatmulAlgo_t& algorithm, void* c) {
  return took(multiply(handle_, target_, described_, product_, algorithm, a_, b_, static_cast<float*>(c)));
}

bool Trial::runs(const cublasLtMatmulAlgo_t& algorithm) {
  const bool is_taken = issue(algorithm, c_);
  require(cudaStreamSynchronize(target_.stream), "cudaStreamSynchronize");
  return is_taken;
}

GraphExec Trial::recorded(const cublasLtMatmulAlgo_t& algorithm, int runs) {
  require(cudaStreamBeginCapture(target_.stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  for (int i = 0; i < runs && status == CUBLAS_STATUS_SUCCESS; ++i)
    status = multiply(handle_, target_, described_, product_, algorithm, a_, b_, static_cast<float*>(c_));
  cudaGraph_t captured = nullptr;
  const cudaError_t error = cudaStreamEndCapture(target_.stream, &captured);
  const Graph graph(captured);
  if (!took(status)) return nullptr;
  require(error, "cudaStreamEndCapture");
  cudaGraphExec_t made = nullptr;
  require(cudaGraphInstantiate(&made, graph.get(), 0), "cudaGraphInstantiate");
  return GraphExec(made);
}

/// In a graph, as launches one by one take longer than small products.
std::optional<double> Trial::seconds(const cublasLtMatmulAlgo_t& algorithm) {
  if (!runs(algorithm)) return std::nullopt;
  const std::int64_t work = std::max<std::int64_t>(product_.m * product_.n * product_.k, 1);
  const auto count = static_cast<int>(std::clamp<std::int64_t>(kTimedWork / work, 1, kMostTimedRuns));
  const GraphExec graph = recorded(algorithm, count);
  if (graph == nullptr) return std::nullopt;
  const EventHandle begin = make_timed_event(), end = make_timed_event();
  double shortest = std::numeric_limits<double>::infinity();
  for (int i = 0; i <= kTimings; ++i) {
    require(cudaEventRecord(begin.get(), target_.stream), "cudaEventRecord");
    require(cudaGraphLaunch(graph.get(), target_.stream), "cudaGraphLaunch");
    require(cudaEventRecord(end.get(), target_.stream), "cudaEventRecord");
    require(cudaEventSynchronize(end.get()), "cudaEventSynchronize");
    float milliseconds = 0;
    require(cudaEventElapsedTime(&milliseconds, begin.get(), end.get()), "cudaEventElapsedTime");
    if (i > 0) shortest = std::min(shortest, static_cast<double>(milliseconds) * 1e-3 / count);  // 0: brings it there
  }
  return shortest;
}

bool Trial::has(const cublasLtMatmulAlgo_t& algorithm, Epilogue epilogue) {
  if (product_.add_to_c || product_.row_c != product_.n) return false;  // bias and activation are of dense results
  set_epilogue(described_.product.get(), epilogue, bias());
  bool has_it = fits(handle_, described_, algorithm, target_.workspace_bytes) && keeps_nan(algorithm);
  const std::int64_t results = product_.m * product_.n;
  const std::int64_t rounds = std::clamp<std::int64_t>(kComparedResults / results, 1, kMostRounds);
  for (std::int64_t round = 0; has_it && round < rounds; ++round) {
    if (round > 0) fill(a_, a_bytes_, kSeedsOfRounds + static_cast<std::uint64_t>(round));
    set_epilogue(described_.product.get(), epilogue, bias());
    has_it = issue(algorithm, c_);
    set_epilogue(described_.product.get(), Epilogue::none, nullptr);
    has_it = has_it && has_bits_of_parts(algorithm, epilogue);
  }
  set_epilogue(described_.product.get(), Epilogue::none, nullptr);
  if (rounds > 1) fill(a_, a_bytes_, kSeedOfA);
  return has_it;
}

bool Trial::keeps_nan(const cublasLtMatmulAlgo_t& algorithm) {
  require(cudaMemsetAsync(a_, kNanByte, size_of(a_bytes_), target_.stream), "cudaMemsetAsync");
  const bool is_taken = issue(algorithm, c_);
  const Pinned found = make_pinned(sizeof(float));
  require(cudaMemcpyAsync(found.get(), c_, sizeof(float), cudaMemcpyDeviceToHost, target_.stream), "cudaMemcpyAsync");
  fill(a_, a_bytes_, kSeedOfA);
  require(cudaStreamSynchronize(target_.stream), "cudaStreamSynchronize");
  return is_taken && std::isnan(*reinterpret_cast<const float*>(found.get()));
}

/// c_ holds what the product gave with the epilogue.
bool Trial::has_bits_of_parts(const cublasLtMatmulAlgo_t& algorithm, Epilogue epilogue) {
  try {
    if (parts_ == nullptr) parts_ = memory_.allocate(c_bytes_);
  } catch (const std::bad_alloc&) {
    return false;
  }
  if (!issue(algorithm, parts_)) return false;
  const Activation activation = epilogue == Epilogue::bias_relu ? Activation::relu : Activation::none;
  finish_product(target_, static_cast<float*>(parts_), bias(), product_.m, product_.n, activation);
  return same_bits(c_, parts_, c_bytes_);
}

bool Trial::same_bits(const void* device_a, const void* device_b, std::int64_t bytes) {
  const std::int64_t most = std::min(bytes, kComparedBytes);
  const Pinned first = make_pinned(most), second = make_pinned(most);
  for (std::int64_t at = 0; at < bytes; at += most) {
    const std::size_t count = size_of(std::min(most, bytes - at));
    for (const auto& [to, from] : {std::pair{first.get(), device_a}, {second.get(), device_b}})
      require(cudaMemcpyAsync(to, static_cast<const char*>(from) + at, count, cudaMemcpyDeviceToHost, target_.stream),
              "cudaMemcpyAsync");
    require(cudaStreamSynchronize(target_.stream), "cudaStreamSynchronize");
    if (std::memcmp(first.get(), second.get(), count) != 0) return false;
  }
  return true;
}

}  // namespace regatta::engine::cuda
