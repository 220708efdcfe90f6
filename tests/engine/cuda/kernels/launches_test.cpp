// How much is launched: nothing where there is nothing to do, one launch where one is enough, no more blocks than fill
// the device.
#include "engine/cuda/kernels/kernel_test.hpp"
#include "regatta/base/error.hpp"
#include "support/cuda/emulator/options.hpp"

namespace regatta::engine::cuda {
namespace {

std::int64_t launches_on_operands_of(const OpSpec& spec) {
  Random random(1);
  return launches_of(work_of(spec), random_operands(random, spec));
}

TEST(CudaLaunches, NothingIsLaunchedForNoElements) {
  const auto mse = model::Loss::mse;
  for (const OpSpec& spec :
       {OpSpec{Activate{Activation::relu, 0}}, OpSpec{ActivateGradient{Activation::relu, 0}}, OpSpec{Add{0}},
        OpSpec{Fill{0, 1}}, OpSpec{AddBias{0, 4}}, OpSpec{AddBias{4, 0}}, OpSpec{Softmax{0, 4}}, OpSpec{Softmax{4, 0}},
        OpSpec{ColumnSum{4, 0}}, OpSpec{Embedding{0, 4, 4}}, OpSpec{EmbeddingGradient{4, 0, 4}},
        OpSpec{EmbeddingGradient{4, 4, 0}}, OpSpec{DropoutGradient{0}}, OpSpec{GlobalAveragePoolGradient{0, 4, 4}},
        OpSpec{Loss{.kind = mse, .rows = 0, .columns = 4, .samples = true}}, OpSpec{LayerNorm{0, 4}},
        OpSpec{LayerNormGradient{0, 4, true}}, OpSpec{SgdUpdate{0, 0.5F}}, OpSpec{AdamUpdate{0, 0.9, 0.999, 1e-8F}}}) {
    EXPECT_EQ(launches_on_operands_of(spec), 0) << name_of(spec);
  }
}

constexpr Unfolding kNoSamples{.samples = 0,
                               .rows = 1,
                               .columns = 8,
                               .channels = 4,
                               .out_rows = 1,
                               .out_columns = 6,
                               .taps_rows = 1,
                               .taps_columns = 3,
                               .stride_rows = 1,
                               .stride_columns = 1,
                               .pad_rows = 0,
                               .pad_columns = 0};

constexpr Unfolding kNoChannels = [] {
  Unfolding shape = kNoSamples;
  shape.samples = 1;
  shape.channels = 0;
  return shape;
}();

TEST(CudaLaunches, NothingIsLaunchedForPartsThatChangeNothing) {
  const auto launches = [](const std::function<void(const Target&, float*)>& part) {
    return launches_of(
        [&](const Target& target, const Memory& memory) { part(target, static_cast<float*>(memory[0])); },
        {std::vector<float>(12, 1.0F)});
  };
  EXPECT_EQ(launches([](const Target& target, float* x) {
              finish_product(target, x, nullptr, 3, 4, Activation::none);
              multiply_derivative(target, x, x, 12, Activation::none);
              unfold(target, kNoSamples, x, x);
              fold(target, kNoSamples, x, x);
              unfold(target, kNoChannels, x, x);
              fold(target, kNoChannels, x, x);
              filters_first(target, x, x, 0, 3, 4);
              filters_last(target, x, x, 3, 4, 0);
            }),
            0);
}

TEST(CudaLaunches, WhatNoKernelCanCountIsRefused) {
  constexpr std::int64_t kMany = std::int64_t{1} << 31;
  const auto issue = [](const OpSpec& spec) { work_of(spec)(Target{}, Memory{}); };
  EXPECT_THROW(issue(MaxPool{{kMany / 8, 2, 4, 1, 2, 2, 1, 2}}), InputError);
  EXPECT_THROW(issue(AveragePool{{kMany / 8, 2, 4, 1, 2, 2, 1, 2}}), InputError);
  Unfolding shape = kNoSamples;
  shape.samples = kMany / (6 * 3 * 4) + 1;  // rows of the matrix, not of the input
  EXPECT_THROW(unfold(Target{}, shape, nullptr, nullptr), InputError);
  EXPECT_THROW(fold(Target{}, shape, nullptr, nullptr), InputError);
}

/// CUDA threads that the work has.
std::int64_t threads_of(const OpSpec& spec) {
  const std::uint64_t before = emulator::counts().threads;
  launches_on_operands_of(spec);
  return static_cast<std::int64_t>(emulator::counts().threads - before);
}

TEST(CudaLaunches, BlocksAreAsManyAsTheElementsNeedAndTheDeviceHolds) {
  constexpr std::int64_t kBlock = 256;
  constexpr std::int64_t kMost = 4 * 8 * kBlock;  // four times what the one multiprocessor of these tests holds
  EXPECT_EQ(threads_of(Add{1}), kBlock);
  EXPECT_EQ(threads_of(Add{4 * kBlock}), kBlock);  // four elements a thread
  EXPECT_EQ(threads_of(Add{4 * kBlock + 1}), 2 * kBlock);
  EXPECT_EQ(threads_of(Add{5 * 4 * kMost}), kMost);
  EXPECT_EQ(threads_of(AddBias{32, 128}), 4 * kBlock);  // 8 rows of 32 threads
  EXPECT_EQ(threads_of(AddBias{33, 128}), 5 * kBlock);
  EXPECT_EQ(threads_of(AddBias{8 * 32, 128}), 8 * kBlock);  // four rows each, once the device is full
  EXPECT_EQ(threads_of(AddBias{8 * 32 + 1, 128}), 9 * kBlock);
  EXPECT_EQ(threads_of(AddBias{32 * 50, 128}), 32 * kBlock);
  EXPECT_EQ(threads_of(AddBias{32, 256}), 2 * 4 * kBlock);
  EXPECT_EQ(threads_of(AddBias{8 * 32, 256}), 2 * 8 * kBlock);
  EXPECT_EQ(threads_of(Softmax{8, 32}), kBlock);
  EXPECT_EQ(threads_of(Softmax{9, 32}), 2 * kBlock);
  EXPECT_EQ(threads_of(Square{}), 1);
  EXPECT_EQ(threads_of(SquareGradient{}), 1);
}

TEST(CudaLaunches, RowsAreSummedInPartsWhereOneWouldNotFillTheDevice) {
  constexpr std::int64_t kBlock = 256;
  EXPECT_EQ(threads_of(ColumnSum{127, 128}), kBlock);  // 8 rows of threads, at least 8 rows for each
  EXPECT_EQ(threads_of(ColumnSum{128, 128}), 2 * kBlock);
  EXPECT_EQ(threads_of(ColumnSum{191, 128}), 2 * kBlock);
  EXPECT_EQ(threads_of(ColumnSum{64 * 600, 128}), 512 * kBlock);
  EXPECT_EQ(threads_of(ColumnSum{64 * 600, 256}), 2 * 256 * kBlock);
}

}  // namespace
}  // namespace regatta::engine::cuda
