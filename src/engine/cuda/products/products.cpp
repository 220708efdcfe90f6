#include "engine/cuda/products/products.hpp"

#include <array>
#include <new>
#include <optional>
#include <unordered_map>

#include "engine/cuda/device/check.hpp"
#include "engine/cuda/products/choosing.hpp"

namespace regatta::engine::cuda {

namespace {

/// A product with its algorithm, and what is known of its epilogues.
struct Plan {
  Descriptors described;
  cublasLtMatmulAlgo_t algorithm;
  std::array<std::optional<bool>, 3> has;  ///< by Epilogue
};

bool is_capturing(cudaStream_t stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  require(cudaStreamIsCapturing(stream, &status), "cudaStreamIsCapturing");
  return status != cudaStreamCaptureStatusNone;
}

}  // namespace

struct Products::State {
  Target target;
  DeviceMemorySource memory;
  LtHandle handle;
  Choosing choosing;
  std::unordered_map<Product, Plan, HashProduct> plans;

  Plan& find(const Product& product) {
    const auto known = plans.find(product);
    return known != plans.end() ? known->second : plans.emplace(product, make(product)).first->second;
  }

  Plan make(const Product& product) {
    expect(!is_capturing(target.stream), "algorithms are chosen before a capture");
    Plan plan{describe(product), {}, {true}};
    std::optional<Trial> trial;
    try {
      trial.emplace(handle.get(), plan.described, product, target, memory);
    } catch (const std::bad_alloc&) {  // it is done without: the library says what it takes for the fastest
    }
    plan.algorithm = choosing.choose(handle.get(), product, plan.described, trial ? &*trial : nullptr);
    return plan;
  }

  bool has(const Product& product, const Plan& plan, Epilogue epilogue) {
    expect(!is_capturing(target.stream), "epilogues are chosen before a capture");
    try {
      Trial trial(handle.get(), plan.described, product, target, memory);
      return trial.has(plan.algorithm, epilogue);
    } catch (const std::bad_alloc&) {
      return false;
    }
  }
};

Products::Products(ProductSettings settings, const Target& target, DeviceMemorySource memory)
    : state_(std::make_unique<State>(
          State{target, std::move(memory), make_handle(), Choosing(std::move(settings), target), {}})) {}
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
  const Plan& plan = state_->find(product);
  set_epilogue(plan.described.product.get(), epilogue, bias);
  require(multiply(state_->handle.get(), target, plan.described, product, plan.algorithm, a, b, c), "cublasLtMatmul");
}

}  // namespace regatta::engine::cuda
