// Products that are tried and chosen by hand on the emulated device.
#pragma once

#include "engine/cuda/cuda_test.hpp"
#include "engine/cuda/products/choosing.hpp"
#include "engine/cuda/products/descriptors.hpp"
#include "engine/cuda/products/trial.hpp"

namespace regatta::engine::cuda {

class ProductTest : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    ASSERT_EQ(cudaStreamCreateWithFlags(&target.stream, cudaStreamNonBlocking), cudaSuccess);
    target.workspace = source.allocate(kWorkspaceBytes);
    target.workspace_bytes = kWorkspaceBytes;
    handle = make_handle();
  }
  void TearDown() override {
    handle.reset();
    source.release(target.workspace);
    EXPECT_EQ(cudaStreamDestroy(target.stream), cudaSuccess);
    CudaTest::TearDown();
  }

  /// The algorithms that the library's heuristics name, the best first.
  [[nodiscard]] std::vector<cublasLtMatmulAlgo_t> named(const Product& product) const {
    const Descriptors described = describe(product);
    const LtPreference preference = make_preference(product, target.workspace_bytes, true);
    std::array<cublasLtMatmulHeuristicResult_t, 8> results{};
    int count = 0;
    EXPECT_EQ(
        cublasLtMatmulAlgoGetHeuristic(handle.get(), described.product.get(), described.first.get(),
                                       described.second.get(), described.result.get(), described.result.get(),
                                       preference.get(), static_cast<int>(results.size()), results.data(), &count),
        CUBLAS_STATUS_SUCCESS);
    std::vector<cublasLtMatmulAlgo_t> algorithms;
    for (int i = 0; i < count; ++i) algorithms.push_back(results[static_cast<std::size_t>(i)].algo);
    return algorithms;
  }

  static bool same(const cublasLtMatmulAlgo_t& a, const cublasLtMatmulAlgo_t& b) {
    return std::memcmp(&a, &b, sizeof a) == 0;
  }

  DeviceMemorySource source{[](std::int64_t bytes) {
                              void* memory = nullptr;
                              if (cudaMalloc(&memory, static_cast<std::size_t>(bytes)) != cudaSuccess)
                                throw std::bad_alloc();
                              return memory;
                            },
                            [](void* memory) { cudaFree(memory); }};
  Target target;
  LtHandle handle;
};

}  // namespace regatta::engine::cuda
