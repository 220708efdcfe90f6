// Dropout: the very masks of the processors' kernels.
#include "engine/cuda/kernels/kernel_test.hpp"

namespace regatta::engine::cuda {
namespace {

std::vector<float> state_at(std::int64_t step) {
  StepState state;
  state.step = step;
  std::vector<float> memory(sizeof state / sizeof(float));
  std::memcpy(memory.data(), &state, sizeof state);
  return memory;
}

TEST(CudaDropout, DrawsTheMasksOfTheReference) {
  Random random(test_seed());
  for (const double rate : {0.1, 0.25, 0.5, 0.999}) {
    for (const std::int64_t units : {1, 3, 4, 33, 300}) {
      const Dropout op{uniform(random, 1, 5), units, rate, random(), uniform(random, 0, 1000)};
      compare_kernels(random, op, 0, text({op.batch, op.units}),
                      [&](Memories& memories) { memories[3] = state_at(uniform(random, 1, 1'000'000)); });
    }
  }
}

TEST(CudaDropout, ReadsTheStepWhenItRuns) {
  const OpSpec spec = Dropout{1, 256, 0.5, 9, 0};
  Memories operands{std::vector<float>(256, 1), std::vector<float>(256), std::vector<float>(256), state_at(1)};
  const std::vector<float> first = run_all_ways(work_of(spec), operands, "")[2];
  operands[3] = state_at(2);
  EXPECT_NE(first, run_all_ways(work_of(spec), operands, "")[2]);
}

}  // namespace
}  // namespace regatta::engine::cuda
