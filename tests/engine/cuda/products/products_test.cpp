// How algorithms are chosen: src/engine/cuda/products/{products,choosing,trial,descriptors}.cpp, through the backend.
#include "engine/cuda/products/products.hpp"

#include <filesystem>
#include <fstream>

#include "engine/cuda/cuda_test.hpp"
#include "engine/cuda/products/choosing.hpp"
#include "engine/cuda/products/descriptors.hpp"
#include "engine/cuda/products/trial.hpp"
#include "support/temporary_folder.hpp"

namespace regatta::engine::cuda {
namespace {

class ProductChoices : public CudaTest {
 protected:
  // In fp32 small products are not the library's.
  static PluginSettings untimed() { return {.precision = Precision::tf32}; }
  [[nodiscard]] PluginSettings timed() const {
    PluginSettings settings = untimed();
    settings.choosing_seconds = 10;
    settings.choices_file = file.c_str();
    return settings;
  }

  static std::vector<float> product(Backend& backend, const MatMul& op) {
    Random random(7);
    Memories operands = random_operands(random, op);
    run_on(backend, op, operands);
    return operands[2];
  }

  support::TemporaryFolder folder;
  std::string file = (folder / "choices.txt").string();
};

constexpr MatMul kOp{.m = 40, .n = 50, .k = 300};

TEST_F(ProductChoices, AreTimedOnceAndKept) {
  const auto first = product(*make_backend(timed()), kOp);
  const std::int64_t asked = control.counters().heuristics;
  EXPECT_GE(asked, 1);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(product(*make_backend(timed()), kOp), first);
  EXPECT_EQ(control.counters().heuristics, asked) << "the file knew";
  EXPECT_TRUE(std::filesystem::exists(file));
}

TEST_F(ProductChoices, TheFastestOneIsTaken) {
  int changed = 0;
  for (std::int64_t n = 1; n <= 12; ++n) {
    const MatMul op{.m = 33, .n = n, .k = 200};
    changed += product(*make_backend(timed()), op) != product(*make_backend(untimed()), op) ? 1 : 0;
  }
  EXPECT_GT(changed, 0) << "timing never took another one than the first";
}

TEST_F(ProductChoices, SmallOnesAreTimedTenAtOnceInAGraph) {
  const auto backend = make_backend(timed());
  static_cast<void>(backend->scratch_bytes(kOp));
  const Counters counters = control.counters();
  EXPECT_GE(counters.instantiations, 3) << "one for each algorithm";
  EXPECT_EQ(counters.captured, 10 * counters.instantiations);
  EXPECT_EQ(counters.graph_launches, 4 * counters.instantiations);
}

TEST_F(ProductChoices, WithoutAFileTheFirstIsTakenSoThatAllSessionsShareIt) {
  const auto bits = product(*make_backend(untimed()), kOp);
  EXPECT_EQ(product(*make_backend({.precision = Precision::tf32, .choosing_seconds = 10}), kOp), bits);
}

TEST_F(ProductChoices, ADamagedFileIsChosenAnew) {
  const auto bits = product(*make_backend(timed()), kOp);
  std::string text;
  std::getline(std::ifstream(file), text, '\0');
  for (std::size_t i = 0; i < 128; ++i) text[i] = text[i] == '0' ? '1' : '0';  // the first line's algorithm
  std::ofstream(file) << text;
  EXPECT_EQ(product(*make_backend(timed()), kOp), bits);
  std::ofstream(file) << "nonsense";
  EXPECT_EQ(product(*make_backend(timed()), kOp), bits);
}

TEST_F(ProductChoices, AreMadeWithoutATrialWhereMemoryDoesNotSuffice) {
  constexpr std::int64_t kLimit =
      (std::int64_t{4} << 20) + (std::int64_t{1} << 16) + 8 * 40'192;  // workspace, counters
  const MatMul op{.m = 100, .n = 100, .k = 100, .add_bias = true, .activation = Activation::relu};
  const auto backend = make_backend({.precision = Precision::tf32, .memory_bytes = kLimit});
  std::array<void*, kOperands> memory{};
  for (const std::size_t i : {0, 1, 2, 3}) memory[i] = backend->allocate(40'000);
  for (int i = 0; i < 4; ++i) backend->allocate(40'000);
  EXPECT_NO_THROW(static_cast<void>(backend->scratch_bytes(op)));
}

TEST_F(ProductChoices, AProductThatNobodyComputesIsNamed) {
  control.fail_next("cublasLtMatmulAlgoGetHeuristic", CUBLAS_STATUS_NOT_SUPPORTED, 0);
  const auto backend = make_backend(untimed());
  EXPECT_THAT(text_thrown<DeviceError>([&] { static_cast<void>(backend->scratch_bytes(kOp)); }),
              testing::AllOf(testing::HasSubstr("cublasLtMatmulAlgoGetHeuristic of product 40 x 50 x 300 nn"),
                             testing::HasSubstr("CUBLAS_STATUS_NOT_SUPPORTED")));
}

TEST_F(ProductChoices, OneThatTheLibraryDoesNotRunIsPassedOver) {
  for (const bool is_timed : {false, true}) {
    const auto backend = make_backend(is_timed ? timed() : untimed());
    control.fail_next("cublasLtMatmul", CUBLAS_STATUS_INVALID_VALUE, 0);
    EXPECT_NO_THROW(product(*backend, kOp));
  }
}

TEST_F(ProductChoices, WhereTheLibraryRunsNoneItsAnswerIsThrown) {
  for (const bool is_timed : {false, true}) {
    const auto backend = make_backend(is_timed ? timed() : untimed());
    for (std::int32_t i = 0; i < 20; ++i) control.fail_next("cublasLtMatmul", CUBLAS_STATUS_NOT_SUPPORTED, 0);
    EXPECT_THAT(text_thrown<DeviceError>([&] { static_cast<void>(backend->scratch_bytes(kOp)); }),
                testing::StartsWith("cublasLtMatmul of product 40 x 50 x 300 nn, rows 300 50 50, tf32, aligned to 64: "
                                    "CUBLAS_STATUS_NOT_SUPPORTED"));
    control.reset();
  }
}

TEST_F(ProductChoices, AKeptOneThatTheLibraryDoesNotRunIsChosenAnew) {
  const auto bits = product(*make_backend(timed()), kOp);
  const std::int64_t asked = control.counters().heuristics;
  const auto backend = make_backend(timed());
  control.fail_next("cublasLtMatmul", CUBLAS_STATUS_INVALID_VALUE, 0);
  EXPECT_EQ(product(*backend, kOp), bits);
  EXPECT_GT(control.counters().heuristics, asked);
}

TEST_F(ProductChoices, BiasAndReluOfASmallProductAreDoneAlongWithIt) {
  for (const bool is_timed : {false, true}) {
    for (std::int64_t n = 1; n <= 12; ++n) {
      const auto backend = make_backend(is_timed ? timed() : untimed());
      const MatMul op{.m = 33, .n = n, .k = 200, .add_bias = true, .activation = Activation::relu};
      static_cast<void>(backend->scratch_bytes(op));
      const std::int64_t kernels = control.counters().kernels;
      static_cast<void>(product(*backend, op));
      EXPECT_EQ(control.counters().kernels, kernels) << n;
    }
  }
}

TEST_F(ProductChoices, AnEpilogueThatGivesOtherBitsOrIsRefusedIsNotTaken) {
  for (std::int64_t n = 1; n <= 12; ++n) {
    const auto backend = make_backend(untimed());
    // No gradient of a layer is done with a bias, so nobody looks for an algorithm that does it too.
    const MatMul fused{.m = 33, .n = n, .k = 200, .transpose_b = true, .add_bias = true};
    const MatMul bare{.m = 33, .n = n, .k = 200, .transpose_b = true};
    Random random(3);
    Memories together = random_operands(random, fused), product{together[0], together[1], together[2]};
    const std::vector<float> bias = together[3];
    run_on(*backend, fused, together);
    run_on(*backend, bare, product);
    Memories apart{product[2], bias};
    run_on(*backend, AddBias{33, n}, apart);
    EXPECT_EQ(together[2], apart[0]) << n;
  }
}

TEST_F(ProductChoices, TheBitsOfFewResultsAreComparedOnManyOperands) {
  for (std::int64_t k = 40; k < 80; ++k) {
    const auto backend = make_backend({.precision = Precision::tf32});
    const MatMul fused{.m = 2, .n = 1, .k = k, .add_bias = true};
    const MatMul bare{.m = 2, .n = 1, .k = k};
    for (int i = 0; i < 8; ++i) {
      Random random(static_cast<std::uint64_t>(100 * k + i));
      Memories together = random_operands(random, fused), product{together[0], together[1], together[2]};
      const std::vector<float> bias = together[3];
      run_on(*backend, fused, together);
      run_on(*backend, bare, product);
      Memories apart{product[2], bias};
      run_on(*backend, AddBias{2, 1}, apart);
      EXPECT_EQ(together[2], apart[0]) << k;
    }
  }
}

TEST_F(ProductChoices, SumsThatMeetInAnyOrderAreNotTakenWhereBitsMatter) {
  for (const bool is_deterministic : {true, false}) {
    const auto backend = make_backend({.precision = Precision::tf32, .deterministic = is_deterministic});
    EXPECT_EQ(product(*backend, kOp), product(*backend, kOp));
  }
}

TEST(Product, TextsTellThemApart) {
  Product product = dense_product(2, 3, 4, true, false, Precision::tf32);
  EXPECT_EQ(text_of(product), "product 2 x 3 x 4 tn, rows 2 3 3, tf32, aligned to 64");
  product.add_to_c = true;
  product.row_c = 12;
  product.alignment = 4;
  EXPECT_EQ(text_of(product), "product 2 x 3 x 4 tn, rows 2 3 12, tf32, added, aligned to 4");
}

TEST(Product, AlignmentIsWhatAllDistancesShare) {
  EXPECT_EQ(common_alignment({}), 64);
  EXPECT_EQ(common_alignment({0, 128}), 64);
  EXPECT_EQ(common_alignment({64, 48}), 16);
  EXPECT_EQ(common_alignment({12}), 4);
}

}  // namespace
}  // namespace regatta::engine::cuda
