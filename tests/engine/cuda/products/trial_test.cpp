// The result of a trial of an algorithm.
#include "engine/cuda/products/trial.hpp"

#include "engine/cuda/products/product_test.hpp"

namespace regatta::engine::cuda {
namespace {

class ProductTrial : public ProductTest {
 protected:
  const Product product = dense_product(40, 50, 300, false, false, Precision::fp32);
};

TEST_F(ProductTrial, WhatIsTimedWasRunOnceBeforeItIsCaptured) {
  const Descriptors described = describe(product);
  const auto algorithms = named(product);
  Trial trial(handle.get(), described, product, target, source);
  const std::int64_t before = control.counters().launches;
  EXPECT_GT(trial.seconds(algorithms[0]).value(), 0);
  EXPECT_EQ(control.counters().launches, before + 1);
}

TEST_F(ProductTrial, WhatIsRefusedWhenItRunsOrWhenItIsCapturedHasNoTime) {
  const Descriptors described = describe(product);
  const auto algorithms = named(product);
  for (const std::int32_t after : {0, 1, 3}) {
    Trial trial(handle.get(), described, product, target, source);
    control.fail_next("cublasLtMatmul", CUBLAS_STATUS_NOT_SUPPORTED, after);
    EXPECT_FALSE(trial.seconds(algorithms[0])) << after;
    EXPECT_EQ(trial.refusal(), CUBLAS_STATUS_NOT_SUPPORTED);
    EXPECT_TRUE(trial.seconds(algorithms[0])) << "the next one";
  }
}

TEST_F(ProductTrial, ALargeProductIsTimedFewerTimesAtOnce) {
  const Product large = dense_product(280, 280, 256, false, false, Precision::fp32);
  const Descriptors described = describe(large);
  const auto algorithms = named(large);
  Trial trial(handle.get(), described, large, target, source);
  EXPECT_TRUE(trial.seconds(algorithms[0]));
  EXPECT_EQ(control.counters().captured, 9) << "some 200 million multiply-adds, up to ten products";
}

TEST_F(ProductTrial, WhatRanIsDoneWhenThatIsTold) {
  control.set_orders({StreamOrder::late, ThreadOrder::forward, 1});
  const Descriptors described = describe(product);
  const auto algorithms = named(product);
  Trial trial(handle.get(), described, product, target, source);
  const std::int64_t before = control.counters().products;
  EXPECT_TRUE(trial.runs(algorithms[0]));
  EXPECT_EQ(control.counters().products, before + 1);
}

TEST_F(ProductTrial, NoLaterCallMeetsTheErrorOfARefusal) {
  const Descriptors described = describe(product);
  const auto algorithms = named(product);
  Trial trial(handle.get(), described, product, target, source);
  ASSERT_EQ(cudaSetDevice(99), cudaErrorInvalidDevice) << "as a library's own call might";
  control.fail_next("cublasLtMatmul", CUBLAS_STATUS_NOT_SUPPORTED, 0);
  EXPECT_FALSE(trial.runs(algorithms[0]));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(ProductTrial, ALargeResultComesToTheHostInPieces) {
  const Product large = dense_product(520, 510, 4, false, false, Precision::fp32);  // some bytes more than a MiB
  const Descriptors described = describe(large);
  const auto algorithms = named(large);
  Trial trial(handle.get(), described, large, target, source);
  int finishing = 0;
  for (const cublasLtMatmulAlgo_t& algorithm : algorithms) {
    const std::int64_t before = control.counters().copies_to_host;
    if (!trial.has(algorithm, Epilogue::bias)) continue;
    ++finishing;
    EXPECT_EQ(control.counters().copies_to_host, before + 1 + 2 * 2) << "what is no number, then two pieces of both";
  }
  EXPECT_GT(finishing, 0);
}

TEST_F(ProductTrial, BiasAndActivationAreOfDenseResults) {
  Product sparse = dense_product(1, 50, 300, false, false, Precision::fp32);
  sparse.row_c = 64;
  Product added = product;
  added.add_to_c = true;
  for (const Product& one : {sparse, added}) {
    const Descriptors described = describe(one);
    const auto algorithms = named(one);
    Trial trial(handle.get(), described, one, target, source);
    const std::int64_t before = control.counters().launches;
    for (const cublasLtMatmulAlgo_t& algorithm : algorithms) EXPECT_FALSE(trial.has(algorithm, Epilogue::bias));
    EXPECT_EQ(control.counters().launches, before) << "nothing is tried";
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
