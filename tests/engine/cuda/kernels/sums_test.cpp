// Sums by columns and means over positions, against the reference.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

TEST(CudaSums, ColumnsAreSummedWhateverTheirNumberAndThatOfTheRows) {
  Random random(test_seed());
  for (const std::int64_t columns : {1, 2, 4, 7, 10, 31, 32, 33, 64, 128, 132, 260}) {
    for (const std::int64_t rows : {1, 3, 31, 64, 65}) {
      compare_kernels(random, ColumnSum{rows, columns}, sum_tolerance(rows), text({rows, columns}));
    }
  }
  compare_kernels(random, ColumnSum{33, 20, true}, sum_tolerance(33), "on top of sums");
}

TEST(CudaSums, ManyRowsAreSummedInPartsOfOneLaunch) {
  Random random(test_seed());
  for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{1121, 128}, {5000, 1}, {3001, 30}}) {
    const OpSpec spec = ColumnSum{rows, columns};
    compare_kernels(random, spec, sum_tolerance(rows), text({rows, columns}));
    EXPECT_EQ(launches_of(work_of(spec), random_operands(random, spec)), 1);
  }
  const OpSpec adds = ColumnSum{2000, 12, true};
  compare_kernels(random, adds, sum_tolerance(2000), "on top of sums");
}

TEST(CudaSums, TheSumsBesideAProductHaveTheBitsOfColumnSum) {
  Random random(test_seed());
  const std::int64_t rows = 1121, columns = 36;
  const OpSpec spec = ColumnSum{rows, columns};
  const Memories operands = random_operands(random, spec);
  const Work fused = [&](const Target& target, const Memory& memory) {
    sum_columns(target, static_cast<const float*>(memory[0]), static_cast<float*>(memory[1]), rows, columns);
  };
  EXPECT_TRUE(same_bits(run_all_ways(fused, operands, "")[1], run_all_ways(work_of(spec), operands, "")[1]));
}

TEST(CudaSums, MeansOverAllPositionsAgreeWithTheReference) {
  Random random(test_seed());
  for (const std::int64_t channels : {1, 5, 32, 128, 130}) {
    for (const std::int64_t length : {1, 35, 300}) {
      for (const std::int64_t batch : {1, 3}) {
        const std::string what = text({batch, length, channels});
        compare_kernels(random, GlobalAveragePool{batch, length, channels}, 2e-6, what);
        compare_kernels(random, GlobalAveragePoolGradient{batch, length, channels}, 2e-6, what);
      }
    }
  }
  const OpSpec spec = GlobalAveragePool{2, 700, 12};
  compare_kernels(random, spec, 2e-6, "in parts");
  EXPECT_EQ(launches_of(work_of(spec), random_operands(random, spec)), 1);
}

TEST(CudaSums, SlidingMeansAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 25; ++i) {
    const std::int64_t length = uniform(random, 1, 60);
    const SlidingMean op{.batch = uniform(random, 1, 3),
                         .length = length,
                         .channels = uniform(random, 1, i % 2 == 0 ? 9 : 70),
                         .outputs = uniform(random, 1, 12),
                         .count = uniform(random, 1, length),
                         .stride = uniform(random, 1, 4),
                         .pad = uniform(random, 0, 10)};
    compare_kernels(random, op, 2e-6,
                    text({op.batch, op.length, op.channels, op.outputs, op.count, op.stride, op.pad}));
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
