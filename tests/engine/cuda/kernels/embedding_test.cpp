// Rows that indices choose, and the gradient of their table, against the reference.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

/// `draw` makes an index.
template <class Draw>
auto indices(const Draw& draw) {
  return [&draw](Memories& memories) {
    for (float& place : memories[0]) {
      const auto index = static_cast<std::int32_t>(draw());
      std::memcpy(&place, &index, sizeof index);
    }
  };
}

void compare_both(Random& random, std::int64_t rows, std::int64_t vocabulary, std::int64_t units, bool is_skewed) {
  const auto draw = [&] { return is_skewed ? vocabulary - 1 : uniform(random, 0, vocabulary - 1); };
  const std::string what = text({rows, vocabulary, units, is_skewed});
  compare_kernels(random, Embedding{rows, vocabulary, units}, 0, what, indices(draw));
  compare_kernels(random, EmbeddingGradient{rows, vocabulary, units}, sum_tolerance(rows), what, indices(draw));
}

TEST(CudaEmbedding, AgreesWithTheReference) {
  Random random(test_seed());
  for (const std::int64_t units : {1, 4, 31, 33, 64}) {
    for (const std::int64_t vocabulary : {1, 16, 17, 50}) {
      for (const std::int64_t rows : {1, 33, 300}) compare_both(random, rows, vocabulary, units, rows % 2 == 0);
    }
  }
}

TEST(CudaEmbedding, EachTakesOneLaunch) {
  Random random(test_seed());
  for (const OpSpec& spec : {OpSpec{Embedding{300, 40, 20}}, OpSpec{EmbeddingGradient{300, 40, 20}}}) {
    Memories operands = random_operands(random, spec);
    std::fill(operands[0].begin(), operands[0].end(), 0.0F);  // index 0
    EXPECT_EQ(launches_of(work_of(spec), operands), 1);
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
