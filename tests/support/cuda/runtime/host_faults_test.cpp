// A small training as an engine's host program does it, with one fault at a time: two streams, pinned slots, events,
// products of the library, own kernels, eager and as a graph. Each fault is found, the program without one is not
// complained of.
#include <cublasLt.h>
#include <gmock/gmock.h>

#include <array>
#include <cmath>
#include <random>

#include "support/cuda/fixture.hpp"

namespace regatta::cuda_fakes {
namespace {

enum class Fault {
  none,
  compute_does_not_wait_for_the_copy,
  synchronizes_during_capture,
  wrong_leading_dimension,
  small_workspace,
  slot_is_refilled_too_early,
  allocates_in_a_step,
  copy_overwrites_what_the_last_step_reads,
  transpose_is_forgotten,
  gradient_into_the_wrong_buffer,
  frees_what_the_graph_uses,
  fork_is_not_joined
};

constexpr std::int64_t kInputs = 12, kOutputs = 8, kBatch = 16;
constexpr int kSteps = 6;
constexpr float kRate = 0.1F;
constexpr std::size_t kStepWorkspaceBytes = 256 * 1024;
constexpr std::size_t kX = kInputs * kBatch, kY = kOutputs * kBatch, kW = kOutputs * kInputs;

struct Multiply {
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t a = nullptr, b = nullptr, d = nullptr;
  cublasLtMatmulAlgo_t algorithm = {};
};

struct Outcome {
  std::vector<float> losses;
  bool is_refused = false;  ///< a call returned an error
};

class HostProgram : public FakeCuda {
 protected:
  /// Notes an error; true: there is none so far.
  bool good(cudaError_t error) {
    return outcome.is_refused = outcome.is_refused || error != cudaSuccess, !outcome.is_refused;
  }
  bool good(cublasStatus_t status) {
    return outcome.is_refused = outcome.is_refused || status != CUBLAS_STATUS_SUCCESS, !outcome.is_refused;
  }

  Multiply describe(std::int64_t m, std::int64_t n, std::int64_t k, bool transpose_b, std::int64_t leading_a) {
    Multiply made;
    const std::int32_t transpose = transpose_b ? CUBLAS_OP_T : CUBLAS_OP_N;
    good(cublasLtMatmulDescCreate(&made.product, CUBLAS_COMPUTE_32F, CUDA_R_32F));
    good(cublasLtMatmulDescSetAttribute(made.product, CUBLASLT_MATMUL_DESC_TRANSB, &transpose, sizeof transpose));
    good(cublasLtMatrixLayoutCreate(&made.a, CUDA_R_32F, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(k),
                                    leading_a));
    const std::int64_t rows = transpose_b ? n : k;
    const std::int64_t columns = transpose_b ? k : n;
    good(cublasLtMatrixLayoutCreate(&made.b, CUDA_R_32F, static_cast<std::uint64_t>(rows),
                                    static_cast<std::uint64_t>(columns), rows));
    good(cublasLtMatrixLayoutCreate(&made.d, CUDA_R_32F, static_cast<std::uint64_t>(m), static_cast<std::uint64_t>(n),
                                    m));
    choose(made);
    return made;
  }

  /// The algorithm that wants workspace.
  void choose(Multiply& made) {
    cublasLtMatmulPreference_t preference = nullptr;
    const std::uint64_t bytes = kStepWorkspaceBytes;
    good(cublasLtMatmulPreferenceCreate(&preference));
    good(cublasLtMatmulPreferenceSetAttribute(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &bytes,
                                              sizeof bytes));
    std::array<cublasLtMatmulHeuristicResult_t, 4> results{};
    int count = 0;
    good(cublasLtMatmulAlgoGetHeuristic(handle, made.product, made.a, made.b, made.d, made.d, preference, 4,
                                        results.data(), &count));
    for (const auto& result : results) {
      if (result.workspaceSize > 0) made.algorithm = result.algo;
    }
    good(cublasLtMatmulPreferenceDestroy(preference));
  }

  void multiply(const Multiply& m, const float* a, const float* b, float* d) {
    const float one = 1;
    const float zero = 0;
    const std::size_t bytes = fault == Fault::small_workspace ? 1024 : kStepWorkspaceBytes;
    good(cublasLtMatmul(handle, m.product, &one, a, m.a, b, m.b, &zero, d, m.d, d, m.d, &m.algorithm, workspace, bytes,
                        stream));
  }

  void build() {
    good(cublasLtCreate(&handle));
    for (cudaEvent_t* event : {&copied, &used, &fork, &join}) {
      good(cudaEventCreateWithFlags(event, cudaEventDisableTiming));
    }
    x = device_memory(kX);
    y = device_memory(kY);
    p = device_memory(kY);
    e = device_memory(kY);
    w = device_memory(kW);
    g = device_memory(kW);
    loss = device_memory(1);
    workspace = device_memory(kStepWorkspaceBytes / 4);
    host_x = pinned_memory(kX);
    host_y = pinned_memory(kY);
    host_loss = pinned_memory(1);
    write(w, std::vector<float>(kW, 0.05F));
    forward =
        describe(kOutputs, kBatch, kInputs, false, fault == Fault::wrong_leading_dimension ? kOutputs - 2 : kOutputs);
    backward = fault == Fault::transpose_is_forgotten ? describe(kOutputs, kInputs, kBatch, false, kOutputs)
                                                      : describe(kOutputs, kInputs, kBatch, true, kOutputs);
  }

  void issue_step() {
    multiply(forward, w, x, p);
    good(enqueue(stream, "error", [p = p, y = y, e = e] {
      for (std::size_t i = 0; i < kY; ++i) e[i] = 2 * (p[i] - y[i]) / kBatch;
    }));
    good(cudaEventRecord(fork, stream));
    good(cudaStreamWaitEvent(other, fork, 0));
    good(enqueue(other, "loss", [e = e, loss = loss] {
      float sum = 0;
      for (std::size_t i = 0; i < kY; ++i) sum += e[i] * e[i];
      *loss = sum;
    }));
    good(cudaEventRecord(join, other));
    multiply(backward, e, x, fault == Fault::gradient_into_the_wrong_buffer ? p : g);
    if (fault == Fault::synchronizes_during_capture) good(cudaStreamSynchronize(stream));
    if (fault == Fault::allocates_in_a_step) good(cudaMalloc(&extra, 16));
    good(enqueue(stream, "update", [w = w, g = g] {
      for (std::size_t i = 0; i < kW; ++i) w[i] -= kRate * g[i];
    }));
    if (fault != Fault::fork_is_not_joined) good(cudaStreamWaitEvent(stream, join, 0));
  }

  void feed(int step, std::mt19937& random) {
    std::uniform_real_distribution<float> uniform(-1, 1);
    if (step > 0 && fault != Fault::slot_is_refilled_too_early) good(cudaEventSynchronize(copied));
    for (std::size_t i = 0; i < kX; ++i) host_x[i] = uniform(random);
    for (std::size_t i = 0; i < kY; ++i) host_y[i] = uniform(random);
    const bool waits = fault != Fault::copy_overwrites_what_the_last_step_reads;
    if (step > 0 && waits) good(cudaStreamWaitEvent(other, used, 0));
    good(cudaMemcpyAsync(x, host_x, kX * 4, cudaMemcpyHostToDevice, other));
    good(cudaMemcpyAsync(y, host_y, kY * 4, cudaMemcpyHostToDevice, other));
    good(cudaEventRecord(copied, other));
    if (fault != Fault::compute_does_not_wait_for_the_copy) good(cudaStreamWaitEvent(stream, copied, 0));
  }

  cudaGraphExec_t record() {
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t executable = nullptr;
    good(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    issue_step();
    good(cudaStreamEndCapture(stream, &graph));
    if (outcome.is_refused) return nullptr;
    good(cudaGraphInstantiate(&executable, graph, 0));
    good(cudaGraphDestroy(graph));
    return executable;
  }

  /// Destroys the descriptors, which reset() does not know of.
  void destroy_descriptors() {
    for (Multiply* multiply : {&forward, &backward}) {
      cublasLtMatmulDescDestroy(multiply->product);
      for (cublasLtMatrixLayout_t layout : {multiply->a, multiply->b, multiply->d}) cublasLtMatrixLayoutDestroy(layout);
      *multiply = {};
    }
  }

  Outcome train(Fault planted, bool is_graph) {
    fault = planted;
    outcome = {};
    build();
    const cudaGraphExec_t executable = is_graph && !outcome.is_refused ? record() : nullptr;
    allocations = control.counters().allocations;
    std::mt19937 random(1);
    for (int step = 0; step < kSteps && !outcome.is_refused; ++step) {
      feed(step, random);
      if (fault == Fault::frees_what_the_graph_uses && step == 2) good(cudaFree(g));
      is_graph ? static_cast<void>(good(cudaGraphLaunch(executable, stream))) : issue_step();
      good(cudaEventRecord(used, stream));
      if (step % 2 == 0) continue;
      good(cudaMemcpyAsync(host_loss, loss, 4, cudaMemcpyDeviceToHost, stream));
      good(cudaStreamSynchronize(stream));
      outcome.losses.push_back(*host_loss);
    }
    good(cudaDeviceSynchronize());
    destroy_descriptors();
    return outcome;
  }

  /// The same in double.
  static std::vector<double> expected() {
    std::mt19937 random(1);
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::vector<double> weights(kW, static_cast<double>(0.05F));
    std::vector<double> losses;
    std::vector<double> xs(kX);
    std::vector<double> ys(kY);
    for (int step = 0; step < kSteps; ++step) {
      for (double& value : xs) value = static_cast<double>(uniform(random));
      for (double& value : ys) value = static_cast<double>(uniform(random));
      std::vector<double> gradient(kW);
      double sum = 0;
      for (std::size_t r = 0; r < kBatch; ++r) {
        for (std::size_t o = 0; o < kOutputs; ++o) {
          double error = -ys[r * kOutputs + o];
          for (std::size_t i = 0; i < kInputs; ++i) error += weights[i * kOutputs + o] * xs[r * kInputs + i];
          error *= 2.0 / kBatch;
          sum += error * error;
          for (std::size_t i = 0; i < kInputs; ++i) gradient[i * kOutputs + o] += error * xs[r * kInputs + i];
        }
      }
      for (std::size_t i = 0; i < kW; ++i) weights[i] -= static_cast<double>(kRate) * gradient[i];
      if (step % 2 == 1) losses.push_back(sum);
    }
    return losses;
  }

  static bool is_right(const std::vector<float>& losses) {
    const auto wanted = expected();
    if (losses.size() != wanted.size()) return false;
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (!(std::abs(static_cast<double>(losses[i]) - wanted[i]) < 1e-5 * wanted[i])) return false;
    }
    return true;
  }

  /// Whether this run shows that something is wrong.
  bool shows(Fault planted, bool is_graph, StreamOrder streams, std::uint64_t seed) {
    control.reset();
    EXPECT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
    EXPECT_EQ(cudaStreamCreateWithFlags(&other, cudaStreamNonBlocking), cudaSuccess);
    order(streams, seed);
    const Outcome got = train(planted, is_graph);
    last_losses = got.losses;
    return got.is_refused || control.complaints() > 0 || !is_right(got.losses) ||
           control.counters().allocations != allocations;
  }

  /// In how many of twelve runs it is seen.
  int found(Fault planted) {
    int count = 0;
    for (const bool is_graph : {false, true}) {
      count += shows(planted, is_graph, StreamOrder::early, 1) ? 1 : 0;
      count += shows(planted, is_graph, StreamOrder::late, 1) ? 1 : 0;
      for (std::uint64_t seed = 1; seed <= 4; ++seed) {
        count += shows(planted, is_graph, StreamOrder::random, seed) ? 1 : 0;
      }
    }
    return count;
  }

  Fault fault = Fault::none;
  Outcome outcome;
  std::int64_t allocations = 0;
  std::vector<float> last_losses;
  cublasLtHandle_t handle = nullptr;
  Multiply forward, backward;
  cudaEvent_t copied = nullptr, used = nullptr, fork = nullptr, join = nullptr;
  float *x = nullptr, *y = nullptr, *p = nullptr, *e = nullptr, *w = nullptr, *g = nullptr, *loss = nullptr;
  void* extra = nullptr;
  float *host_x = nullptr, *host_y = nullptr, *host_loss = nullptr, *workspace = nullptr;
};

TEST_F(HostProgram, WithoutAFaultNothingIsFoundAndAllBitsAreTheSame) {
  ASSERT_FALSE(shows(Fault::none, false, StreamOrder::early, 1)) << control.complaint(0) << control.refusal();
  const auto first = last_losses;
  for (const bool is_graph : {false, true}) {
    for (std::uint64_t seed = 1; seed <= 10; ++seed) {
      ASSERT_FALSE(shows(Fault::none, is_graph, StreamOrder::random, seed)) << control.complaint(0);
      EXPECT_EQ(last_losses, first);
    }
    ASSERT_FALSE(shows(Fault::none, is_graph, StreamOrder::late, 1)) << control.complaint(0);
    EXPECT_EQ(last_losses, first);
  }
}

TEST_F(HostProgram, FaultsOfOrderAreFoundInSomeOrders) {
  for (const Fault planted : {Fault::compute_does_not_wait_for_the_copy, Fault::slot_is_refilled_too_early,
                              Fault::copy_overwrites_what_the_last_step_reads}) {
    const int times = found(planted);
    EXPECT_GE(times, 4) << static_cast<int>(planted);
    EXPECT_LT(times, 12) << static_cast<int>(planted);
  }
}

TEST_F(HostProgram, FaultsOfDescriptionsAreFoundInEveryOrder) {
  for (const Fault planted :
       {Fault::wrong_leading_dimension, Fault::small_workspace, Fault::transpose_is_forgotten,
        Fault::gradient_into_the_wrong_buffer, Fault::allocates_in_a_step, Fault::frees_what_the_graph_uses}) {
    EXPECT_EQ(found(planted), 12) << static_cast<int>(planted);
  }
}

TEST_F(HostProgram, FaultsOfCapturesAreFoundInEveryGraph) {
  EXPECT_EQ(found(Fault::synchronizes_during_capture), 6);
  EXPECT_GE(found(Fault::fork_is_not_joined), 6);  // and eager where the loss is read too early
}

}  // namespace
}  // namespace regatta::cuda_fakes
