// Convolutions as tiled products, in four orders of threads, against the reference.
#include "engine/cuda/tiled/convolution.hpp"

#include "engine/cuda/convolutions/convolution_test.hpp"
#include "engine/cuda/kernels/kernel_test.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {
namespace {

void compare(Random& random, ConvolutionKind kind, const AnyShape& any, int way) {
  const ConvolutionShape shape = image_of(any);
  const OpSpec spec = spec_of(kind, any);
  Memories start = random_operands(random, spec);
  std::fill(start[2].begin(), start[2].end(), std::nanf(""));
  for (std::size_t i = 3; i < kOperands; ++i) start[i].clear();
  Memories expected = by_the_reference(spec, start);
  const auto scratch = static_cast<std::size_t>(tiled_scratch_bytes(kind, shape, way)) / sizeof(float);
  start[kScratch].assign(scratch, std::nanf(""));
  const Work work = [&](const Target& target, const Memory& memory) {
    issue_tiled(target, {kind, shape, way}, memory);
  };
  Memories found = run_all_ways(work, start, text_of(kind, shape));
  found[kScratch].clear();
  expected[kScratch].clear();
  const std::int64_t terms = kind == ConvolutionKind::kernel_gradient
                                 ? shape.batch * shape.out_rows * shape.out_columns
                                 : shape.taps_rows * shape.taps_columns * std::max(shape.channels, shape.filters);
  expect_near(found, expected, sum_tolerance(terms), text_of(kind, shape));
}

/// In the usual way.
void compare(Random& random, ConvolutionKind kind, const AnyShape& any) {
  compare(random, kind, any, tiled_ways(kind, image_of(any)).at(0));
}

TEST(TiledConvolution, RandomShapesAgreeWithTheReference) {
  Random random(test_seed());
  for (int i = 0; i < 12; ++i) {
    const AnyShape shape = random_shape(random);
    for (const ConvolutionKind kind : kKinds) compare(random, kind, shape);
  }
}

TEST(TiledConvolution, ChannelsByFourAreReadFourAtOnce) {
  Random random(test_seed());
  compare(random, ConvolutionKind::forward, plain_image());
  compare(random, ConvolutionKind::kernel_gradient, plain_image());
  compare(random, ConvolutionKind::input_gradient, plain_image());
  for (const ConvolutionKind kind : kKinds) compare(random, kind, uneven_line());
}

TEST(TiledConvolution, LongSumsAreCutAndAddedUpInOrder) {
  Random random(test_seed());
  const Conv1dShape line{
      .batch = 2, .length = 90, .channels = 8, .positions = 75, .filters = 72, .taps = 16, .stride = 1, .pad = 0};
  for (const ConvolutionKind kind : kKinds) {
    std::size_t cut = 0;
    for (const int way : tiled_ways(kind, image_of(line))) {
      cut += tiled_scratch_bytes(kind, image_of(line), way) > 0 ? 1 : 0;
      compare(random, kind, line, way);
    }
    EXPECT_GE(cut, 8U) << "with each tile";
  }
}

TEST(TiledConvolution, StridesBeyondTheTapsLeaveZeros) {
  Random random(test_seed());
  const Conv1dShape line{
      .batch = 2, .length = 20, .channels = 4, .positions = 5, .filters = 4, .taps = 2, .stride = 4, .pad = 0};
  for (const ConvolutionKind kind : kKinds) compare(random, kind, line);
}

TEST(TiledConvolution, PixelsAStrideApartAreComputedByOneKernel) {
  Random random(test_seed());
  const Conv1dShape line{
      .batch = 2, .length = 20, .channels = 4, .positions = 6, .filters = 4, .taps = 5, .stride = 3, .pad = 0};
  const OpSpec spec = spec_of(ConvolutionKind::input_gradient, line);
  const Work work = [&](const Target& target, const Memory& memory) {
    issue_tiled(target, {ConvolutionKind::input_gradient, image_of(line), 1}, memory);
  };
  EXPECT_EQ(launches_of(work, random_operands(random, spec)), 3);
}

TEST(TiledConvolution, BiasAndActivationGiveTheBitsOfFinishProduct) {
  Random random(test_seed());
  const ConvolutionShape shape = image_of(uneven_line());
  const std::vector<float> bias = uniform_floats(random, shape.filters);
  const std::vector<float> x = uniform_floats(random, shape.input_size());
  const std::vector<float> kernel = uniform_floats(random, shape.kernel_size());
  const std::vector<float> y(static_cast<std::size_t>(shape.output_size()), std::nanf(""));
  const std::int64_t rows = shape.batch * shape.out_columns;
  const int way = tiled_ways(ConvolutionKind::forward, shape).at(0);
  for (const Activation activation : {Activation::none, Activation::relu, Activation::sigmoid, Activation::tanh}) {
    const Work fused = [&](const Target& target, const Memory& memory) {
      const auto* const added = static_cast<const float*>(memory[3]);
      issue_tiled(target, {ConvolutionKind::forward, shape, way, added, activation}, memory);
    };
    const Work apart = [&](const Target& target, const Memory& memory) {
      issue_tiled(target, {ConvolutionKind::forward, shape, way}, memory);
      finish_product(target, static_cast<float*>(memory[2]), static_cast<const float*>(memory[3]), rows, shape.filters,
                     activation);
    };
    const Memories start{x, kernel, y, bias};
    EXPECT_TRUE(same_bits(run_all_ways(fused, start, "fused")[2], run_all_ways(apart, start, "apart")[2]));
  }
}

TEST(TiledConvolution, SumsBesideAKernelGradientHaveTheBitsOfSumColumns) {
  Random random(test_seed());
  const ConvolutionShape shape = image_of(Conv1dShape{
      .batch = 3, .length = 90, .channels = 4, .positions = 88, .filters = 36, .taps = 3, .stride = 1, .pad = 0});
  const ConvolutionKind kind = ConvolutionKind::kernel_gradient;
  Memories start{uniform_floats(random, shape.input_size()), uniform_floats(random, shape.output_size()),
                 std::vector<float>(static_cast<std::size_t>(shape.kernel_size()), std::nanf("")),
                 std::vector<float>(static_cast<std::size_t>(shape.filters), std::nanf(""))};
  for (const int way : tiled_ways(kind, shape)) {
    start[kScratch].assign(static_cast<std::size_t>(tiled_scratch_bytes(kind, shape, way)) / 4, std::nanf(""));
    const Work beside = [&](const Target& target, const Memory& memory) {
      TiledConvolution op{.kind = kind, .shape = shape, .way = way};
      op.sums = static_cast<float*>(memory[3]);
      issue_tiled(target, op, memory);
    };
    const Work apart = [&](const Target& target, const Memory& memory) {
      issue_tiled(target, {kind, shape, way}, memory);
      sum_columns(target, static_cast<const float*>(memory[1]), static_cast<float*>(memory[3]),
                  shape.batch * shape.out_columns, shape.filters);
    };
    const Memories found = run_all_ways(beside, start, "beside"), expected = run_all_ways(apart, start, "apart");
    EXPECT_TRUE(same_bits(found[2], expected[2]) && same_bits(found[3], expected[3])) << "way " << way;
  }
}

TEST(TiledConvolution, DerivativesGiveTheBitsOfMultiplyDerivative) {
  Random random(test_seed());
  for (const AnyShape& any : {AnyShape(uneven_line()), AnyShape(plain_image())}) {
    const ConvolutionShape shape = image_of(any);
    Memories start{uniform_floats(random, shape.output_size()), uniform_floats(random, shape.kernel_size()),
                   std::vector<float>(static_cast<std::size_t>(shape.input_size()), std::nanf("")),
                   uniform_floats(random, shape.input_size())};
    const ConvolutionKind kind = ConvolutionKind::input_gradient;
    const int way = tiled_ways(kind, shape).at(0);
    start[kScratch].assign(static_cast<std::size_t>(tiled_scratch_bytes(kind, shape, way)) / 4, std::nanf(""));
    for (const Activation derivative : {Activation::relu, Activation::sigmoid, Activation::tanh}) {
      const TiledConvolution op{.kind = kind, .shape = shape, .way = way};
      const Work apart = [&](const Target& target, const Memory& memory) {
        issue_tiled(target, op, memory);
        multiply_derivative(target, static_cast<float*>(memory[2]), static_cast<const float*>(memory[3]),
                            shape.input_size(), derivative);
      };
      const Work fused = [&](const Target& target, const Memory& memory) {
        TiledConvolution with = op;
        with.saved = static_cast<const float*>(memory[3]);
        with.derivative = derivative;
        issue_tiled(target, with, memory);
      };
      EXPECT_TRUE(same_bits(run_all_ways(fused, start, "fused")[2], run_all_ways(apart, start, "apart")[2]));
    }
  }
}

TEST(TiledConvolution, WaysThatAreTheSameCountOnce) {
  const ConvolutionShape shape = image_of(plain_image());
  EXPECT_EQ(tiled_ways(ConvolutionKind::forward, shape).size(), 8U) << "a way for each tile: sums are short";
}

TEST(TiledConvolution, AnEmptyBatchHasNoOutputsAndAGradientOfZeros) {
  ConvolutionShape shape = image_of(plain_image());
  shape.batch = 0;
  const Work forward = [&](const Target& target, const Memory& memory) {
    issue_tiled(target, {ConvolutionKind::forward, shape, 1}, memory);
  };
  const std::vector<float> kernel(static_cast<std::size_t>(shape.kernel_size()), 1.0F);
  Memories operands;
  operands[1] = kernel;
  EXPECT_EQ(run_all_ways(forward, operands, "forward")[1], kernel);
  const Work backward = [&](const Target& target, const Memory& memory) {
    issue_tiled(target, {ConvolutionKind::kernel_gradient, shape, 1}, memory);
  };
  operands[2] = kernel;
  EXPECT_THAT(run_all_ways(backward, operands, "backward")[2], testing::Each(0.0F));
}

TEST(TiledConvolution, TakesWhatItsKernelsCanCount) {
  ConvolutionShape shape = image_of(plain_image());
  EXPECT_FALSE(tiled_ways(ConvolutionKind::forward, shape).empty());
  shape.batch = (std::int64_t{1} << 31) / (8 * 8 * 8);  // samples of so many floats
  EXPECT_TRUE(tiled_ways(ConvolutionKind::forward, shape).empty());
  EXPECT_THROW(issue_tiled(Target{}, {ConvolutionKind::forward, shape, 1}, Memory{}), InputError);
}

}  // namespace
}  // namespace regatta::engine::cuda
