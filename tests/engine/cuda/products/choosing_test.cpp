// The algorithm that is chosen where the library does no more than multiply.
#include "engine/cuda/products/choosing.hpp"

#include <unistd.h>

#include <filesystem>

#include "engine/cuda/products/product_test.hpp"

namespace regatta::engine::cuda {
namespace {

constexpr std::int64_t kProducts = 6;

class ProductChoosing : public ProductTest {
 protected:
  static Product small_product(std::int64_t n) { return dense_product(33, n, 200, false, false, Precision::fp32); }

  /// With every epilogue refused, and nothing named for those who ask with one.
  cublasLtMatmulAlgo_t chosen(const Product& product, const ProductSettings& settings) {
    const Descriptors described = describe(product);
    Trial trial(handle.get(), described, product, target, source);
    control.fail_next("cublasLtMatmulAlgoGetHeuristic", CUBLAS_STATUS_NOT_SUPPORTED, 1);
    for (int i = 0; i < 16; ++i) control.fail_next("cublasLtMatmulAlgoCheck", CUBLAS_STATUS_NOT_SUPPORTED, 0);
    return Choosing(settings, target).choose(handle.get(), product, described, &trial);
  }

  cublasLtMatmulAlgo_t fastest(const Product& product) {
    const Descriptors described = describe(product);
    Trial trial(handle.get(), described, product, target, source);
    const auto algorithms = named(product);
    EXPECT_GT(algorithms.size(), 2U);
    return *std::min_element(algorithms.begin(), algorithms.end(), [&](const auto& a, const auto& b) {
      return trial.seconds(a).value() < trial.seconds(b).value();
    });
  }
};

TEST_F(ProductChoosing, OfThoseThatOnlyMultiplyTheFirstIsTaken) {
  for (std::int64_t n = 1; n <= kProducts; ++n) {
    const auto first = named(small_product(n)).front();
    EXPECT_TRUE(same(chosen(small_product(n), {}), first)) << n;
  }
}

TEST_F(ProductChoosing, OfThoseThatOnlyMultiplyTheFastestIsTakenWhereTheyAreTimed) {
  const auto file = std::filesystem::path(testing::TempDir()) / ("chosen-" + std::to_string(getpid()));
  const ProductSettings timed{.choosing_seconds = 10, .choices_file = file.string(), .device = "GPU"};
  for (std::int64_t n = 1; n <= kProducts; ++n) {
    const auto shortest = fastest(small_product(n));
    EXPECT_TRUE(same(chosen(small_product(n), timed), shortest)) << n;
  }
  std::filesystem::remove(file);
}

}  // namespace
}  // namespace regatta::engine::cuda
