#include "regatta/measure/memory.hpp"

#include <gtest/gtest.h>

#include <vector>

namespace regatta::measure {
namespace {

using stats::Phase;

SliceResult after_steps(std::uint32_t steps, protocol::ProcessMemory memory) {
  return {.samples = {{.steps = steps}}, .memory = memory};
}

/// One warm-up slice of 5 steps, then two scored ones of 10.
MemoryOfProcess process(std::uint64_t warm, std::uint64_t between, std::uint64_t end) {
  MemoryOfProcess process;
  note_memory(process, Phase::warmup, after_steps(5, {900, 800, 0}));
  note_memory(process, Phase::steady, after_steps(10, {1000, between, warm}));
  note_memory(process, Phase::steady, after_steps(10, {1000, end, 0}));
  return process;
}

TEST(Memory, GrowsByWhatScoredStepsKeep) {
  const auto growth = memory_growth(std::vector{process(600, 650, 700)});
  ASSERT_TRUE(growth);
  EXPECT_DOUBLE_EQ(growth->bytes_per_step, 5) << "100 bytes in 20 steps, whatever its warm-up took";
  EXPECT_EQ(growth->steps, 25);
}

TEST(Memory, GrowsByTheMedianOverProcesses) {
  const std::vector processes = {process(600, 650, 600), process(600, 650, 620), process(600, 650, 9000)};
  EXPECT_DOUBLE_EQ(memory_growth(processes)->bytes_per_step, 1);
}

TEST(Memory, ShrinksWhereItIsGivenBack) {
  EXPECT_DOUBLE_EQ(memory_growth(std::vector{process(600, 650, 500)})->bytes_per_step, -5);
}

TEST(Memory, HasNoGrowthBeforeScoredSteps) {
  MemoryOfProcess process;
  note_memory(process, Phase::first, after_steps(1, {900, 800, 0}));
  EXPECT_FALSE(memory_growth({&process, 1}));
  EXPECT_EQ(peak_bytes_of({&process, 1}), 900U);
}

TEST(Memory, OfAProgramIsItsLargestPeak) {
  std::vector<MemoryOfProcess> runs(2);
  note_memory(runs[0], Phase::steady, after_steps(1, {900, 0, 0}));
  note_memory(runs[1], Phase::steady, after_steps(1, {700, 0, 0}));
  EXPECT_EQ(peak_bytes_of(runs), 900U);
  EXPECT_FALSE(memory_growth(runs));
}

TEST(Memory, IsNotKnownWhereNobodyLooked) {
  MemoryOfProcess process;
  note_memory(process, Phase::steady, after_steps(10, {}));
  EXPECT_EQ(peak_bytes_of({&process, 1}), 0U);
  EXPECT_EQ(process.steps, 0) << "the steps are those until it was read";
}

}  // namespace
}  // namespace regatta::measure
