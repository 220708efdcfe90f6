// Losses against the reference, whole and by their parts.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

constexpr std::array<model::Loss, 3> kKinds = {model::Loss::mse, model::Loss::binary_crossentropy,
                                               model::Loss::sparse_categorical_crossentropy};

Loss whole(model::Loss kind, std::int64_t rows, std::int64_t columns) {
  return {.kind = kind, .rows = rows, .columns = columns, .samples = true, .mean = true, .gradient = true};
}

Memories operands_of(Random& random, const Loss& op) {
  Memories memories = random_operands(random, op);
  for (float& prediction : memories[0]) prediction *= 5;
  if (op.kind != model::Loss::sparse_categorical_crossentropy) return memories;
  for (float& place : memories[1]) {
    const auto label = static_cast<std::int32_t>(uniform(random, 0, op.columns - 1));
    std::memcpy(&place, &label, sizeof label);
  }
  return memories;
}

std::string text_of(const Loss& op) { return text({static_cast<int>(op.kind), op.rows, op.columns}); }

TEST(CudaLosses, AgreeWithTheReference) {
  Random random(test_seed());
  for (const model::Loss kind : kKinds) {
    for (const std::int64_t columns : {1, 2, 3, 10, 31, 33, 100}) {
      for (const std::int64_t rows : {1, 31, 33, 300}) {
        Loss op = whole(kind, rows, columns);
        if (rows == 33) op.averaged_rows = 77;
        compare_on(op, operands_of(random, op), 3e-6, text_of(op));
      }
    }
  }
}

TEST(CudaLosses, OfLargeLogitsFindTheLargestWhereverItStands) {
  Random random(test_seed());
  for (const std::int64_t columns : {33, 100}) {
    for (const std::int64_t place : {std::int64_t{0}, columns / 2, columns - 1}) {
      const Loss op = whole(model::Loss::sparse_categorical_crossentropy, 2, columns);
      Memories operands = operands_of(random, op);
      operands[0][static_cast<std::size_t>(place)] = operands[0][static_cast<std::size_t>(2 * columns - 1 - place)] =
          300;
      compare_on(op, operands, 3e-6, text({columns, place}));
    }
  }
}

TEST(CudaLosses, AreOneLaunchWithTheBitsOfTheirPartsOneAfterTheOther) {
  Random random(test_seed());
  for (const model::Loss kind : kKinds) {
    for (const auto& [rows, columns] : {std::pair<std::int64_t, std::int64_t>{32, 1}, {700, 1}, {90, 10}}) {
      const OpSpec fused = whole(kind, rows, columns);
      Loss part{.kind = kind, .rows = rows, .columns = columns};
      std::array<OpSpec, 3> parts;
      part.samples = true;
      parts[0] = part;
      part.samples = false, part.mean = true;
      parts[1] = part;
      part.mean = false, part.gradient = true;
      parts[2] = part;
      const Work apart = [&](const Target& target, const Memory& memory) {
        for (const OpSpec& spec : parts) work_of(spec)(target, memory);
      };
      const Memories operands = operands_of(random, std::get<Loss>(fused));
      const std::string what = text_of(std::get<Loss>(fused));
      const Memories together = run_all_ways(work_of(fused), operands, what);
      const Memories one_by_one = run_all_ways(apart, operands, what);
      for (std::size_t i = 0; i < kOperands; ++i) EXPECT_TRUE(same_bits(together[i], one_by_one[i])) << what << i;
      EXPECT_EQ(launches_of(work_of(fused), operands), 1);
    }
  }
}

TEST(CudaLosses, SpecialValuesGoWhereTheReferenceSendsThem) {
  constexpr float kNan = std::numeric_limits<float>::quiet_NaN();
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  const std::vector<float> logits{1, kNan, 200, -200, kInfinity, 3, -kInfinity, 0, 100, 100};
  const std::vector<float> zeros(logits.size()), five(5), one(1);
  for (const model::Loss kind : {model::Loss::mse, model::Loss::binary_crossentropy}) {
    compare_on(whole(kind, 5, 2), {logits, std::vector<float>(10, 1), zeros, five, one, zeros}, 3e-6, "special");
  }
  const std::vector<float> first_class(5);  // zeros of both types have the same bits
  compare_on(whole(model::Loss::sparse_categorical_crossentropy, 5, 2), {logits, first_class, zeros, five, one, zeros},
             3e-6, "special");
}

}  // namespace
}  // namespace regatta::engine::cuda
