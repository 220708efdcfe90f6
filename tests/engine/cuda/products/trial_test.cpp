// What a trial tells of an algorithm.
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
