#include "engine/cuda/products/products.hpp"

#include <array>
#include <limits>
#include <new>
#include <optional>
#include <span>
#include <unordered_map>

#include "engine/cuda/device/check.hpp"
#include "engine/cuda/products/algorithms_file.hpp"
#include "engine/cuda/products/trial.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr int kCandidates = 8;                      // that are timed
constexpr std::int64_t kSmallProduct = 20'000'000;  // multiply-adds: a microsecond of a large GPU

/// A product with its algorithm, and what is known of its epilogues.
struct Plan {
  Descriptors described;
  cublasLtMatmulAlgo_t algorithm;
  std::array<std::optional<bool>, 3> has;  ///< by Epilogue
  Epilogue epilogue = Epilogue::none;      ///< that the description has now
};

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

struct Products::State {
  ProductSettings settings;
  Target target;
  DeviceMemorySource memory;
  LtHandle handle;
  AlgorithmsFile file;
  double seconds_left;
  std::unordered_map<Product, Plan, HashProduct> plans;

  Plan& find(const Product& product) {
    const auto known = plans.find(product);
    return known != plans.end() ? known->second : plans.emplace(product, make(product)).first->second;
  }

  Plan make(const Product& product) {
    expect(!is_capturing(target.stream), "algorithms are chosen before a capture");
    Plan plan{describe(product), {}, {}, Epilogue::none};
    plan.has[static_cast<std::size_t>(Epilogue::none)] = true;
    std::optional<Trial> trial;
    try {
      trial.emplace(product, target, memory);
    } catch (const std::bad_alloc&) {  // it is done without: the library says what it takes for the fastest
    }
    const auto kept = file.find(text_of(product));
    if (kept && fits(plan, *kept)) {
      plan.algorithm = *kept;
    } else {
      plan.algorithm = choose(product, plan, trial ? &*trial : nullptr, kept);
    }
    if (trial) {
      set_epilogue(plan.described.product.get(), Epilogue::none, nullptr);
      plan.epilogue = Epilogue::none;
      trial->run(handle.get(), plan.described, plan.algorithm);
    }
    return plan;
  }

  /// Whether the algorithm can compute what is described.
  [[nodiscard]] bool fits(const Plan& plan, const cublasLtMatmulAlgo_t& algorithm) const {
    cublasLtMatmulHeuristicResult_t result{};
    const Descriptors& described = plan.described;
    const cublasStatus_t status =
        cublasLtMatmulAlgoCheck(handle.get(), described.product.get(), described.first.get(), described.second.get(),
                                described.result.get(), described.result.get(), &algorithm, &result);
    return status == CUBLAS_STATUS_SUCCESS && result.workspaceSize <= static_cast<std::size_t>(target.workspace_bytes);
  }

  cublasLtMatmulAlgo_t choose(const Product& product, Plan& plan, Trial* trial,
                              const std::optional<cublasLtMatmulAlgo_t>& unfit) {
    const LtPreference preference = make_preference(product, target.workspace_bytes, settings.deterministic);
    std::array<cublasLtMatmulHeuristicResult_t, kCandidates> results{};
    int count = 0;
    const Descriptors& described = plan.described;
    cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
        handle.get(), described.product.get(), described.first.get(), described.second.get(), described.result.get(),
        described.result.get(), preference.get(), kCandidates, results.data(), &count);
    if (status == CUBLAS_STATUS_SUCCESS && count == 0) status = CUBLAS_STATUS_NOT_SUPPORTED;
    require(status, ("cublasLtMatmulAlgoGetHeuristic of " + text_of(product)).c_str());
    const bool is_timed = trial != nullptr && seconds_left > 0 && !settings.choices_file.empty();
    const std::span candidates(results.data(), static_cast<std::size_t>(count));
    if (!is_timed) return first_of(candidates, product, plan, trial);
    return file.keep(text_of(product), fastest_of(candidates, plan, *trial), unfit);
  }

  /// The first one; of a small product, which lasts no longer than a launch, the first that does most of bias and
  /// relu along with it: whether this one has them or not, so that the choice is the same for all that multiply so.
  const cublasLtMatmulAlgo_t& first_of(std::span<const cublasLtMatmulHeuristicResult_t> candidates,
                                       const Product& product, Plan& plan, Trial* trial) const {
    const bool is_small = product.m * product.n * product.k <= kSmallProduct;
    if (!is_small || product.add_to_c || trial == nullptr) return candidates[0].algo;
    const cublasLtMatmulAlgo_t* best = &candidates[0].algo;
    int most = 0;
    for (const cublasLtMatmulHeuristicResult_t& candidate : candidates) {
      int done = 0;
      for (const Epilogue epilogue : {Epilogue::bias, Epilogue::bias_relu})
        done += has(plan, candidate.algo, epilogue, *trial) ? 1 : 0;
      if (done <= most) continue;
      most = done;
      best = &candidate.algo;
      if (most == 2) break;
    }
    return *best;
  }

  const cublasLtMatmulAlgo_t& fastest_of(std::span<const cublasLtMatmulHeuristicResult_t> candidates, const Plan& plan,
                                         Trial& trial) {
    const cublasLtMatmulAlgo_t* fastest = &candidates[0].algo;
    double shortest = std::numeric_limits<double>::infinity();
    for (const cublasLtMatmulHeuristicResult_t& candidate : candidates) {
      if (seconds_left <= 0) break;
      const double begin = steady_seconds();
      const double seconds = trial.seconds(handle.get(), plan.described, candidate.algo);
      seconds_left -= steady_seconds() - begin;
      if (seconds >= shortest) continue;
      shortest = seconds;
      fastest = &candidate.algo;
    }
    return *fastest;
  }

  /// Whether the algorithm has the epilogue. A product's relu may make a number of what is none: a training that
  /// diverged would look well.
  bool has(Plan& plan, const cublasLtMatmulAlgo_t& algorithm, Epilogue epilogue, Trial& trial) const {
    set_epilogue(plan.described.product.get(), epilogue, trial.bias());
    plan.epilogue = epilogue;
    return fits(plan, algorithm) && trial.keeps_nan(handle.get(), plan.described, algorithm);
  }

  bool has(const Product& product, Plan& plan, Epilogue epilogue) {
    expect(!is_capturing(target.stream), "epilogues are chosen before a capture");
    try {
      Trial trial(product, target, memory);
      return has(plan, plan.algorithm, epilogue, trial);
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
};

Products::Products(ProductSettings settings, const Target& target, DeviceMemorySource memory) {
  LtHandle handle = make_handle();
  AlgorithmsFile file(settings.choices_file, settings.device + ", cuBLASLt " + std::to_string(cublasLtGetVersion()));
  const double seconds = settings.choosing_seconds;
  state_ = std::make_unique<State>(
      State{std::move(settings), target, std::move(memory), std::move(handle), std::move(file), seconds, {}});
}
Products::~Products() = default;

void Products::prepare(const Product& product) { state_->find(product); }

bool Products::has(const Product& product, Epilogue epilogue) {
  Plan& plan = state_->find(product);
  std::optional<bool>& known = plan.has[static_cast<std::size_t>(epilogue)];
  if (!known) known = state_->has(product, plan, epilogue);
  return *known;
}

void Products::run(const Target& target, const Product& product, const void* a, const void* b, float* c,
                   Epilogue epilogue, const float* bias) {
  Plan& plan = state_->find(product);
  if (epilogue != Epilogue::none || plan.epilogue != Epilogue::none) {
    set_epilogue(plan.described.product.get(), epilogue, bias);
    plan.epilogue = epilogue;
  }
  multiply(state_->handle.get(), target, plan.described, product, plan.algorithm, a, b, c);
}

}  // namespace regatta::engine::cuda
