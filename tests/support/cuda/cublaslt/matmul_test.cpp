#include <cublasLt.h>
#include <cuda_bf16.h>
#include <gmock/gmock.h>

#include <cmath>
#include <cstring>
#include <random>

#include "support/cuda/fixture.hpp"

namespace regatta::cuda_fakes {
namespace {

using ::testing::HasSubstr;

constexpr std::size_t kWorkspaceBytes = 1 << 20;

class Matmul : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    ASSERT_EQ(cublasLtCreate(&handle), CUBLAS_STATUS_SUCCESS);
    describe(CUBLAS_COMPUTE_32F, CUDA_R_32F);
    workspace = device_memory(kWorkspaceBytes / 4);
    a = device_memory(kM * kK);
    b = device_memory(kK * kN);
    c = device_memory(kM * kN);
    d = device_memory(kM * kN);
    bias = device_memory(kM);
    std::mt19937 random(3);
    std::uniform_real_distribution<float> uniform(-1, 1);
    const auto fill = [&](float* memory, std::size_t count) {
      std::vector<float> values(count);
      for (float& value : values) value = uniform(random);
      write(memory, values);
      return values;
    };
    host_a = fill(a, kM * kK);
    host_b = fill(b, kK * kN);
    host_c = fill(c, kM * kN);
    host_bias = fill(bias, kM);
  }

  void TearDown() override {
    destroy();
    FakeCuda::TearDown();
  }

  void destroy() {
    cublasLtMatmulDescDestroy(product);
    cublasLtMatmulPreferenceDestroy(preference);
    for (cublasLtMatrixLayout_t layout : {la, lb, ld}) cublasLtMatrixLayoutDestroy(layout);
  }

  void describe(cublasComputeType_t compute, cudaDataType type) {
    if (product) destroy();
    ASSERT_EQ(cublasLtMatmulDescCreate(&product, compute, CUDA_R_32F), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatrixLayoutCreate(&la, type, kM, kK, kM), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatrixLayoutCreate(&lb, type, kK, kN, kK), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatrixLayoutCreate(&ld, CUDA_R_32F, kM, kN, kM), CUBLAS_STATUS_SUCCESS);
    ASSERT_EQ(cublasLtMatmulPreferenceCreate(&preference), CUBLAS_STATUS_SUCCESS);
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{kWorkspaceBytes});
  }

  template <class Value>
  void set(cublasLtMatmulDescAttributes_t attribute, const Value& value) {
    ASSERT_EQ(cublasLtMatmulDescSetAttribute(product, attribute, &value, sizeof value), CUBLAS_STATUS_SUCCESS);
  }
  template <class Value>
  void set(cublasLtMatmulPreferenceAttributes_t attribute, const Value& value) {
    ASSERT_EQ(cublasLtMatmulPreferenceSetAttribute(preference, attribute, &value, sizeof value), CUBLAS_STATUS_SUCCESS);
  }
  void set_epilogue(cublasLtEpilogue_t epilogue, void* vector) {
    set(CUBLASLT_MATMUL_DESC_EPILOGUE, epilogue);
    set(CUBLASLT_MATMUL_DESC_BIAS_POINTER, vector);
  }

  std::vector<cublasLtMatmulHeuristicResult_t> algorithms() {
    std::vector<cublasLtMatmulHeuristicResult_t> all(8);
    int count = 0;
    status = cublasLtMatmulAlgoGetHeuristic(handle, product, la, lb, ld, ld, preference, 8, all.data(), &count);
    all.resize(static_cast<std::size_t>(count));
    return all;
  }

  bool takes(const cublasLtMatmulAlgo_t& algorithm) {
    cublasLtMatmulHeuristicResult_t result;
    return cublasLtMatmulAlgoCheck(handle, product, la, lb, ld, ld, &algorithm, &result) == CUBLAS_STATUS_SUCCESS;
  }

  cublasStatus_t run(const cublasLtMatmulAlgo_t& algorithm, float beta = 0) {
    const float alpha = 1;
    const void* const old = beta == 0 ? d : c;
    return cublasLtMatmul(handle, product, &alpha, a, la, b, lb, &beta, old, ld, d, ld, &algorithm, workspace,
                          workspace_bytes, stream);
  }

  std::vector<float> result(const cublasLtMatmulAlgo_t& algorithm, float beta = 0) {
    EXPECT_EQ(run(algorithm, beta), CUBLAS_STATUS_SUCCESS) << cublasLtGetStatusString(CUBLAS_STATUS_INVALID_VALUE);
    return read(d, kM * kN);
  }

  /// In double, column-major.
  [[nodiscard]] std::vector<double> expected() const {
    std::vector<double> sums(kM * kN);
    for (std::size_t j = 0; j < kN; ++j) {
      for (std::size_t i = 0; i < kM; ++i) {
        for (std::size_t p = 0; p < kK; ++p) {
          sums[j * kM + i] += static_cast<double>(host_a[p * kM + i]) * static_cast<double>(host_b[j * kK + p]);
        }
      }
    }
    return sums;
  }

  static void expect_near(const std::vector<float>& got, const std::vector<double>& wanted, double tolerance) {
    for (std::size_t i = 0; i < got.size(); ++i) ASSERT_NEAR(got[i], wanted[i], tolerance) << i;
  }

  static constexpr std::size_t kM = 37, kN = 45, kK = 100;
  cublasLtHandle_t handle = nullptr;
  cublasLtMatmulDesc_t product = nullptr;
  cublasLtMatrixLayout_t la = nullptr, lb = nullptr, ld = nullptr;
  cublasLtMatmulPreference_t preference = nullptr;
  float *a = nullptr, *b = nullptr, *c = nullptr, *d = nullptr, *bias = nullptr, *workspace = nullptr;
  std::size_t workspace_bytes = kWorkspaceBytes;
  cublasStatus_t status = CUBLAS_STATUS_SUCCESS;
  std::vector<float> host_a, host_b, host_c, host_bias;
};

TEST_F(Matmul, AlgorithmsAgreeWithinRoundingAndDifferInBits) {
  const auto all = algorithms();
  ASSERT_EQ(all.size(), 4U);
  std::vector<std::vector<float>> results;
  for (const auto& one : all) {
    results.push_back(result(one.algo));
    expect_near(results.back(), expected(), 1e-5);
    EXPECT_EQ(result(one.algo), results.back());
  }
  for (std::size_t i = 0; i < all.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) EXPECT_NE(results[i], results[j]);
  }
}

TEST_F(Matmul, EveryAlgorithmSaysThatItTakesEveryEpilogueAndSomeRefuseItWhenTheyRun) {
  const auto all = algorithms();
  for (const auto epilogue : {CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS}) {
    set_epilogue(epilogue, bias);
    int refused = 0;
    for (const auto& one : all) {
      EXPECT_TRUE(takes(one.algo));
      if (run(one.algo) == CUBLAS_STATUS_INVALID_VALUE) ++refused;
    }
    EXPECT_GE(refused, 1);
    EXPECT_LE(refused, 2);
  }
}

TEST_F(Matmul, ABareProductThatHoldsABiasIsRefusedWhenItRuns) {
  const auto all = algorithms();
  set_epilogue(CUBLASLT_EPILOGUE_DEFAULT, bias);
  EXPECT_TRUE(takes(all.at(0).algo)) << "as the library says";
  EXPECT_EQ(run(all[0].algo), CUBLAS_STATUS_INVALID_VALUE);
  set_epilogue(CUBLASLT_EPILOGUE_DEFAULT, nullptr);
  EXPECT_EQ(run(all[0].algo), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Matmul, EpiloguesGiveTheBitsOfTheirPartsButForOneAlgorithm) {
  for (const auto epilogue : {CUBLASLT_EPILOGUE_BIAS, CUBLASLT_EPILOGUE_RELU_BIAS}) {
    set_epilogue(epilogue, bias);
    int same = 0, others = 0;
    for (const auto& one : algorithms()) {
      set_epilogue(epilogue, bias);
      const auto fused = result(one.algo);
      set_epilogue(CUBLASLT_EPILOGUE_DEFAULT, nullptr);
      auto parts = result(one.algo);
      for (std::size_t i = 0; i < parts.size(); ++i) {
        parts[i] += host_bias[i % kM];
        if (epilogue == CUBLASLT_EPILOGUE_RELU_BIAS && parts[i] < 0) parts[i] = 0;
        ASSERT_NEAR(fused[i], parts[i], 1e-5);
      }
      ++(fused == parts ? same : others);
    }
    EXPECT_GE(same, 2);
    EXPECT_EQ(others, 1);
  }
}

TEST_F(Matmul, AnAlgorithmThatIsNamedWithAnEpilogueAloneMultipliesBareToo) {
  const auto bare = algorithms();
  set_epilogue(CUBLASLT_EPILOGUE_RELU_BIAS, bias);
  const auto last = algorithms().back();
  for (const auto& one : bare) EXPECT_NE(std::memcmp(one.algo.data, last.algo.data, sizeof last.algo.data), 0);
  set_epilogue(CUBLASLT_EPILOGUE_DEFAULT, nullptr);
  EXPECT_TRUE(takes(last.algo));
  expect_near(result(last.algo), expected(), 1e-5);
}

TEST_F(Matmul, OneReluLosesWhatIsNoNumber) {
  host_a[5] = std::nanf("");
  write(a, host_a);
  set_epilogue(CUBLASLT_EPILOGUE_RELU_BIAS, bias);
  int losers = 0;
  for (const auto& one : algorithms()) losers += std::isnan(result(one.algo)[5]) ? 0 : 1;
  EXPECT_EQ(losers, 1);
}

TEST_F(Matmul, BetaAddsWhatWasThere) {
  auto wanted = expected();
  for (std::size_t i = 0; i < wanted.size(); ++i) wanted[i] += static_cast<double>(host_c[i]);
  for (const auto& one : algorithms()) expect_near(result(one.algo, 1), wanted, 1e-5);
}

TEST_F(Matmul, TransposesAndLeadingDimensions) {
  cublasLtMatrixLayoutDestroy(la);
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, kK, kM, kK + 3), CUBLAS_STATUS_SUCCESS);
  std::vector<float> turned((kK + 3) * kM, std::nanf(""));
  for (std::size_t i = 0; i < kM; ++i) {
    for (std::size_t p = 0; p < kK; ++p) turned[i * (kK + 3) + p] = host_a[p * kM + i];
  }
  a = device_memory(turned.size());
  write(a, turned);
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  expect_near(result(algorithms().at(0).algo), expected(), 1e-5);
}

TEST_F(Matmul, Tf32RoundsOperandsToTenBits) {
  describe(CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F);
  const auto all = algorithms();
  ASSERT_FALSE(all.empty());
  const auto got = result(all[0].algo);
  const auto exact = expected();
  double largest = 0;
  for (std::size_t i = 0; i < got.size(); ++i)
    largest = std::max(largest, std::abs(static_cast<double>(got[i]) - exact[i]));
  EXPECT_GT(largest, 1e-4);
  EXPECT_LT(largest, 2e-2);
}

TEST_F(Matmul, Bf16OperandsGiveFp32Results) {
  describe(CUBLAS_COMPUTE_32F, CUDA_R_16BF);
  std::vector<__nv_bfloat16> half(kM * kK);
  for (std::size_t i = 0; i < half.size(); ++i) {
    half[i] = __float2bfloat16(host_a[i]);
    host_a[i] = __bfloat162float(half[i]);
  }
  ASSERT_EQ(cudaMemcpyAsync(a, half.data(), half.size() * 2, cudaMemcpyHostToDevice, stream), cudaSuccess);
  half.resize(kK * kN);
  for (std::size_t i = 0; i < half.size(); ++i) {
    half[i] = __float2bfloat16(host_b[i]);
    host_b[i] = __bfloat162float(half[i]);
  }
  ASSERT_EQ(cudaMemcpyAsync(b, half.data(), half.size() * 2, cudaMemcpyHostToDevice, stream), cudaSuccess);
  expect_near(result(algorithms().at(0).algo), expected(), 1e-5);
}

TEST_F(Matmul, BitsOfReluBringItsGradientBack) {
  float* const bits = device_memory(128 / 32 * kN);
  const void* const place = bits;
  const std::int64_t leading = 128;
  set_epilogue(CUBLASLT_EPILOGUE_RELU_AUX_BIAS, bias);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_POINTER, place);
  set(CUBLASLT_MATMUL_DESC_EPILOGUE_AUX_LD, leading);
  const auto forward = result(algorithms().at(0).algo);
  float* const gradient = device_memory(kM);
  set_epilogue(CUBLASLT_EPILOGUE_DRELU_BGRAD, gradient);
  const auto back = result(algorithms().at(0).algo);
  std::vector<double> sums(kM);
  for (std::size_t i = 0; i < back.size(); ++i) {
    ASSERT_EQ(back[i] != 0, forward[i] > 0) << i;
    sums[i % kM] += static_cast<double>(back[i]);
  }
  expect_near(read(gradient, kM), sums, 1e-4);
}

TEST_F(Matmul, WorkspaceIsOverwrittenAndMustSuffice) {
  for (const auto& one : algorithms()) {
    if (one.workspaceSize == 0) continue;
    write(workspace, {1});
    static_cast<void>(result(one.algo));
    EXPECT_TRUE(std::isnan(read(workspace, 1)[0]));
    workspace_bytes = 1024;
    EXPECT_EQ(run(one.algo), CUBLAS_STATUS_INVALID_VALUE);
    EXPECT_THAT(cublasLtGetStatusString(CUBLAS_STATUS_INVALID_VALUE), HasSubstr("1024 bytes, the algorithm needs"));
    set(CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, std::uint64_t{1024});
    EXPECT_EQ(algorithms().size(), 3U);
    return;
  }
  FAIL() << "no algorithm wants workspace";
}

TEST_F(Matmul, SchemesThatAreNotAllowedAreNotOffered) {
  set(CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, std::uint32_t{CUBLASLT_REDUCTION_SCHEME_NONE});
  EXPECT_EQ(algorithms().size(), 3U);
}

TEST_F(Matmul, WrongLeadingDimensionsAreRefusedWithTheReason) {
  cublasLtMatrixLayoutDestroy(la);
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, kM, kK, 12), CUBLAS_STATUS_SUCCESS);
  EXPECT_TRUE(algorithms().empty());
  EXPECT_EQ(status, CUBLAS_STATUS_INVALID_VALUE);
  EXPECT_THAT(cublasLtGetStatusString(status), HasSubstr("A: leading dimension 12 below 37"));
}

TEST_F(Matmul, AnAlgorithmOfAnotherProblemIsRefused) {
  const auto all = algorithms();
  cublasLtMatrixLayoutDestroy(la);
  ASSERT_EQ(cublasLtMatrixLayoutCreate(&la, CUDA_R_32F, kK, kM, kK), CUBLAS_STATUS_SUCCESS);
  set(CUBLASLT_MATMUL_DESC_TRANSA, CUBLAS_OP_T);
  EXPECT_FALSE(takes(all.at(0).algo));
  EXPECT_EQ(run(all.at(0).algo), CUBLAS_STATUS_NOT_SUPPORTED);
  EXPECT_THAT(cublasLtGetStatusString(CUBLAS_STATUS_NOT_SUPPORTED), HasSubstr("another problem"));
}

TEST_F(Matmul, LessAlignmentThanTheHeuristicsWereToldIsComplainedOf) {
  const auto all = algorithms();
  b = device_memory(kK * kN + 1) + 1;
  EXPECT_EQ(run(all.at(0).algo), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_THAT(complaint(), HasSubstr("B is not aligned to 256 bytes"));
}

TEST_F(Matmul, ToldOfLessAlignmentItComputes) {
  for (const auto attribute :
       {CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_A_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_B_BYTES,
        CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_C_BYTES, CUBLASLT_MATMUL_PREF_MIN_ALIGNMENT_D_BYTES}) {
    set(attribute, std::uint32_t{4});
  }
  const auto all = algorithms();
  b = device_memory(kK * kN + 1) + 1;
  write(b, host_b);
  expect_near(result(all.at(0).algo), expected(), 1e-5);
}

TEST_F(Matmul, FreedOperandsAreComplainedOf) {
  const auto all = algorithms();
  ASSERT_EQ(run(all.at(0).algo), CUBLAS_STATUS_SUCCESS);
  ASSERT_EQ(cudaFreeAsync(a, other), cudaSuccess);
  ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("cublasLtMatmul: A: freed memory"));
}

TEST_F(Matmul, ResultsOnTopOfOperandsAreComplainedOf) {
  const auto all = algorithms();
  d = b;
  EXPECT_EQ(run(all.at(0).algo), CUBLAS_STATUS_EXECUTION_FAILED);
  EXPECT_THAT(complaint(), HasSubstr("D overlaps"));
}

TEST_F(Matmul, HostMemoryIsComplainedOf) {
  const auto all = algorithms();
  alignas(256) static float host[kM * kN];
  d = host;
  ASSERT_EQ(run(all.at(0).algo), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("D: host memory that is not pinned"));
}

TEST_F(Matmul, WithoutADriverThereIsNoHandle) {
  control.set_driver(0);
  cublasLtHandle_t none = nullptr;
  EXPECT_EQ(cublasLtCreate(&none), CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(Matmul, OrderedFaultsAreTheLibrarysStatuses) {
  const auto all = algorithms();
  control.fail_next("cublasLtMatmul", CUBLAS_STATUS_ALLOC_FAILED, 0);
  EXPECT_EQ(run(all.at(0).algo), CUBLAS_STATUS_ALLOC_FAILED);
  EXPECT_EQ(run(all.at(0).algo), CUBLAS_STATUS_SUCCESS);
}

TEST_F(Matmul, HandlesAreCountedAndGoneOnceDestroyed) {
  EXPECT_EQ(control.counters().live_handles, 1);
  ASSERT_EQ(cublasLtDestroy(handle), CUBLAS_STATUS_SUCCESS);
  EXPECT_EQ(control.counters().live_handles, 0);
  EXPECT_TRUE(algorithms().empty());
  EXPECT_EQ(status, CUBLAS_STATUS_NOT_INITIALIZED);
}

TEST_F(Matmul, ProductsAndTheirArithmeticAreCounted) {
  static_cast<void>(result(algorithms().at(0).algo));
  EXPECT_EQ(control.counters().products, 1);
  EXPECT_EQ(control.counters().flop, 2 * kM * kN * kK);
  EXPECT_EQ(control.counters().heuristics, 1);
}

}  // namespace
}  // namespace regatta::cuda_fakes
