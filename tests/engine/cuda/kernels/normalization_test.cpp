// Batch and layer normalization against the reference.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

void make_scales_positive(Memories& memories) {
  for (std::size_t i = memories[4].size() / 2; i < memories[4].size(); ++i) memories[4][i] = 1 + memories[4][i] / 2;
}

/// A column of two rows that hardly differ is divided by sqrt(epsilon).
constexpr double kTolerance = 1e-5;

void compare_all(Random& random, std::int64_t rows, std::int64_t columns, int i) {
  const std::string what = text({rows, columns});
  const BatchNorm norm{.rows = rows,
                       .columns = columns,
                       .fixed_moments = i % 3 == 0,
                       .moving_moments = i % 2 == 0,
                       .epsilon = i % 5 == 0 ? 0.5F : 1e-3F,
                       .smallest_share = 0.1F};
  compare_kernels(random, norm, kTolerance, what, [&](Memories& memories) { set_moving_moments(memories, i); });
  compare_kernels(random, LayerNorm{rows, columns}, kTolerance, what);
  compare_kernels(random, BatchNormGradient{rows, columns, i % 2 == 0}, kTolerance, what, make_scales_positive);
  compare_kernels(random, LayerNormGradient{rows, columns, i % 2 == 0}, kTolerance, what, make_scales_positive);
}

TEST(CudaNormalization, AgreesWithTheReference) {
  Random random(test_seed());
  int i = 0;
  for (const std::int64_t columns : {1, 3, 4, 31, 32, 33, 64, 132}) {
    for (const std::int64_t rows : {1, 2, 31, 33}) compare_all(random, rows, columns, i++);
  }
}

TEST(CudaNormalization, OfManyRowsIsSummedInParts) {
  Random random(test_seed());
  for (int i = 0; i < 3; ++i) {
    compare_all(random, 1200, 8, i);
    compare_all(random, 700, 33, i);
  }
}

TEST(CudaNormalization, NotANumberStaysInItsRowOrColumn) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  const std::vector<float> x{1, kNan, 2, 3}, ones{1, 1}, none(4);
  compare_on(LayerNorm{2, 2}, {x, none, ones, ones, none}, kTolerance, "not a number");
  compare_on(BatchNorm{2, 2, false}, {x, none, ones, ones, none}, kTolerance, "not a number");
}

TEST(CudaNormalization, IsThreeLaunchesOverTheBatchAndOneByRows) {
  Random random(test_seed());
  const auto launches = [&](const OpSpec& spec) { return launches_of(work_of(spec), random_operands(random, spec)); };
  EXPECT_EQ(launches(BatchNorm{40, 12, false}), 3);
  EXPECT_EQ(launches(BatchNorm{40, 12, true}), 1);
  EXPECT_EQ(launches(BatchNormGradient{40, 12, true}), 2);
  EXPECT_EQ(launches(BatchNormGradient{40, 12, false}), 1);
  EXPECT_EQ(launches(LayerNorm{40, 12}), 1);
  EXPECT_EQ(launches(LayerNormGradient{40, 12, true}), 2);
}

}  // namespace
}  // namespace regatta::engine::cuda
