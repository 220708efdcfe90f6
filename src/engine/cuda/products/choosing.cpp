#include "engine/cuda/products/choosing.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <limits>

#include "engine/cuda/device/check.hpp"
#include "regatta/base/clock.hpp"

namespace regatta::engine::cuda {

namespace {

constexpr int kCandidates = 8;                      // answers to one question
constexpr std::int64_t kSmallProduct = 20'000'000;  // multiply-adds: a microsecond of a large GPU
constexpr double kKernelSeconds = 1e-6;             // a small kernel in a graph
constexpr int kEpilogues = 2;

/// Whether it lasts no longer than a kernel for what a layer does behind it. A layer's gradients, which have no bias,
/// have a transposed operand.
bool may_be_finished(const Product& product) {
  const bool is_small = product.m * product.n * product.k <= kSmallProduct;
  return is_small && !product.add_to_c && !product.transpose_a && !product.transpose_b;
}

int epilogues_of(const cublasLtMatmulAlgo_t& algorithm, Trial& trial) {
  return (trial.has(algorithm, Epilogue::bias) ? 1 : 0) + (trial.has(algorithm, Epilogue::bias_relu) ? 1 : 0);
}

bool are_same(const cublasLtMatmulAlgo_t& a, const cublasLtMatmulAlgo_t& b) {
  return std::memcmp(a.data, b.data, sizeof a.data) == 0;
}

/// The first one; of a product that may be finished, the first that does most of bias and relu along with it: whether
/// this one has them or not, so that the choice is the same for all that multiply so.
std::optional<cublasLtMatmulAlgo_t> first_of(std::span<const cublasLtMatmulAlgo_t> algorithms, const Product& product,
                                             Trial& trial) {
  std::optional<cublasLtMatmulAlgo_t> best;
  int most = -1;
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms) {
    if (!trial.runs(algorithm)) continue;
    const int done = may_be_finished(product) ? epilogues_of(algorithm, trial) : kEpilogues;
    if (done <= most) continue;
    most = done;
    best = algorithm;
    if (most == kEpilogues) break;
  }
  return best;
}

}  // namespace

Choosing::Choosing(ProductSettings settings, const Target& target)
    : settings_(std::move(settings)),
      workspace_bytes_(target.workspace_bytes),
      file_(settings_.choices_file, settings_.device + ", cuBLASLt " + std::to_string(cublasLtGetVersion())),
      seconds_left_(settings_.choosing_seconds) {}

cublasLtMatmulAlgo_t Choosing::choose(cublasLtHandle_t handle, const Product& product, const Descriptors& described,
                                      Trial* trial) {
  const auto kept = file_.find(text_of(product));
  if (kept && fits(handle, described, *kept, workspace_bytes_) && (trial == nullptr || trial->runs(*kept)))
    return *kept;
  const Algorithms algorithms = candidates(handle, product, described, trial);
  if (trial == nullptr) return algorithms[0];
  const bool is_timed = seconds_left_ > 0 && !settings_.choices_file.empty();
  const auto chosen = is_timed ? fastest_of(algorithms, product, *trial) : first_of(algorithms, product, *trial);
  if (!chosen) require(trial->refusal(), ("cublasLtMatmul of " + text_of(product)).c_str());
  // Kept although it was not timed, too: bits depend on it, so who comes later takes the same.
  const cublasLtMatmulAlgo_t shared = file_.keep(text_of(product), *chosen, kept);
  return trial->runs(shared) ? shared : *chosen;
}

/// The algorithms for the bare product, the best first. Behind them, where it may be finished, the algorithms for the
/// product with bias and relu, which compute the bare one too: among the first ones often none does more than multiply.
Choosing::Algorithms Choosing::candidates(cublasLtHandle_t handle, const Product& product, const Descriptors& described,
                                          const Trial* trial) const {
  Algorithms all;
  cublasStatus_t status = ask(handle, product, described, all);
  if (status == CUBLAS_STATUS_SUCCESS && all.empty()) status = CUBLAS_STATUS_NOT_SUPPORTED;
  require(status, ("cublasLtMatmulAlgoGetHeuristic of " + text_of(product)).c_str());
  if (trial == nullptr || !may_be_finished(product)) return all;
  Algorithms finishing;
  set_epilogue(described.product.get(), Epilogue::bias_relu, trial->bias());
  static_cast<void>(ask(handle, product, described, finishing));
  set_epilogue(described.product.get(), Epilogue::none, nullptr);
  for (const cublasLtMatmulAlgo_t& one : finishing) {
    const auto is_it = [&](const cublasLtMatmulAlgo_t& other) { return are_same(one, other); };
    if (std::none_of(all.begin(), all.end(), is_it)) all.push_back(one);
  }
  return all;
}

cublasStatus_t Choosing::ask(cublasLtHandle_t handle, const Product& product, const Descriptors& described,
                             Algorithms& found) const {
  const LtPreference preference = make_preference(product, workspace_bytes_, settings_.deterministic);
  std::array<cublasLtMatmulHeuristicResult_t, kCandidates> results{};
  int count = 0;  // and stays so where the library has no answer
  const cublasStatus_t status = cublasLtMatmulAlgoGetHeuristic(
      handle, described.product.get(), described.first.get(), described.second.get(), described.result.get(),
      described.result.get(), preference.get(), kCandidates, results.data(), &count);
  for (int i = 0; i < count; ++i) found.push_back(results[static_cast<std::size_t>(i)].algo);
  return status;
}

/// Fastest together with the kernels that it leaves to be done behind it.
std::optional<cublasLtMatmulAlgo_t> Choosing::fastest_of(std::span<const cublasLtMatmulAlgo_t> algorithms,
                                                         const Product& product, Trial& trial) {
  std::vector<std::pair<double, const cublasLtMatmulAlgo_t*>> timed;
  const double begin = steady_seconds();
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms) {
    if (!timed.empty() && steady_seconds() - begin > seconds_left_) break;
    if (const auto seconds = trial.seconds(algorithm)) timed.emplace_back(*seconds, &algorithm);
  }
  std::stable_sort(timed.begin(), timed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  std::optional<cublasLtMatmulAlgo_t> fastest;
  double shortest = std::numeric_limits<double>::infinity();
  for (const auto& [seconds, algorithm] : timed) {
    if (seconds >= shortest) break;
    const int left = may_be_finished(product) ? kEpilogues - epilogues_of(*algorithm, trial) : 0;
    if (seconds + left * kKernelSeconds >= shortest) continue;
    shortest = seconds + left * kKernelSeconds;
    fastest = *algorithm;
  }
  seconds_left_ -= steady_seconds() - begin;
  return fastest;
}

}  // namespace regatta::engine::cuda
