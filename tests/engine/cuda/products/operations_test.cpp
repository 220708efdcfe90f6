// Operations that products compute, against the reference:
// src/engine/cuda/products/{matmul,lstm,convolution,unfolded}.cpp and src/engine/cuda/issuer.cpp.
#include "engine/cuda/products/operations.hpp"

#include <unistd.h>

#include <bit>
#include <filesystem>
#include <fstream>

#include "engine/cuda/cuda_test.hpp"
#include "engine/cuda/issuer.hpp"
#include "engine/cuda/products/unfolded.hpp"
#include "engine/reference/kernels.hpp"
#include "regatta/base/files.hpp"

namespace regatta::engine::cuda {
namespace {

/// Relative error of a product's operands, rounded.
double rounding_of(Precision precision) {
  return precision == Precision::fp32 ? 0 : precision == Precision::tf32 ? 0x1p-10 : 0x1p-8;
}

class ProductOperations : public CudaTest {
 protected:
  /// Operands of the operation after the reference has run.
  static Memories expected_of(const OpSpec& spec, Memories operands) {
    reference::Memory pointers{};
    for (std::size_t i = 0; i < kOperands; ++i) pointers[i] = operands[i].empty() ? nullptr : operands[i].data();
    const BoundCalls bound = reference::bind(spec, pointers);
    bound.calls[0].launch(bound.calls[0], 0, 1);
    return operands;
  }

  void expect_close(const Memories& found, const Memories& expected, double tolerance, const OpSpec& spec) {
    for (std::size_t operand = 0; operand < kOperands; ++operand) {
      ASSERT_EQ(found[operand].size(), expected[operand].size());
      for (std::size_t i = 0; i < found[operand].size(); ++i) {
        const double want = expected[operand][i];
        ASSERT_NEAR(found[operand][i], want, tolerance * std::max(1.0, std::abs(want)))
            << name_of(spec) << ": operand " << operand << '[' << i << ']';
      }
    }
  }

  /// `terms`: of the longest sum.
  void compare(Backend& backend, const OpSpec& spec, std::int64_t terms) {
    Memories operands = random_operands(random, spec);
    const Memories expected = expected_of(spec, operands);
    run_on(backend, spec, operands);
    const double sums = holds_column_sums(spec, 5) ? 2 : 1;
    const double rounded = 2 * rounding_of(backend.precision()) * std::sqrt(static_cast<double>(terms));
    expect_close(operands, expected, sums * sum_tolerance(terms) + rounded, spec);
  }

  Random random{test_seed()};
};

TEST_F(ProductOperations, MatrixProductsAgreeWithTheReferenceInEveryPrecision) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const auto backend = make_backend({.precision = precision});
    for (int i = 0; i < 60; ++i) {
      const MatMul op = random_product(random, i);
      SCOPED_TRACE(text({op.m, op.n, op.k, op.transpose_a, op.transpose_b, op.add_bias, static_cast<int>(op.activation),
                         static_cast<int>(op.derivative), static_cast<int>(precision)}));
      compare(*backend, op, op.k);
    }
  }
}

TEST_F(ProductOperations, AFusedProductHasTheBitsOfItsParts) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const auto backend = make_backend({.precision = precision});
    for (int i = 0; i < 40; ++i) {
      const MatMul op = random_product(random, i);
      Memories fused = random_operands(random, op), apart = fused;
      run_on(*backend, op, fused);
      MatMul bare = op;
      bare.add_bias = bare.sum_columns = false;
      bare.activation = bare.derivative = Activation::none;
      Memories product{apart[0], apart[1], apart[2]};
      run_on(*backend, bare, product);
      Memories rest{product[2], apart[3]};
      if (op.add_bias) run_on(*backend, AddBias{op.m, op.n}, rest);
      rest[1].clear();
      run_on(*backend, Activate{op.activation, op.m * op.n}, rest);
      rest[1] = apart[4];
      if (op.derivative != Activation::none) run_on(*backend, ActivateGradient{op.derivative, op.m * op.n}, rest);
      EXPECT_EQ(fused[2], rest[0]) << text({op.m, op.n, op.k, op.transpose_a, op.transpose_b});
      if (!op.sum_columns) continue;
      Memories sums{apart[1], apart[5]};
      run_on(*backend, ColumnSum{op.k, op.n}, sums);
      EXPECT_EQ(fused[5], sums[1]);
    }
  }
}

TEST_F(ProductOperations, WhatIsNoNumberStaysNoneThroughEveryEpilogue) {
  const auto backend = make_backend({});
  for (int i = 0; i < 30; ++i) {
    MatMul op = random_product(random, i);
    op.transpose_a = op.transpose_b = op.sum_columns = false;
    op.derivative = Activation::none;
    op.add_bias = true;
    op.activation = Activation::relu;
    Memories operands = random_operands(random, op);
    operands[0].assign(operands[0].size(), std::nanf(""));
    run_on(*backend, op, operands);
    for (const float value : operands[2]) ASSERT_TRUE(std::isnan(value)) << text({op.m, op.n, op.k});
  }
}

TEST_F(ProductOperations, ForAProductOfOneTermTheLibraryIsNotAsked) {
  for (const Precision precision : {Precision::fp32, Precision::tf32}) {
    const auto backend = make_backend({.precision = precision});
    compare(*backend, MatMul{.m = 30, .n = 20, .k = 1, .add_bias = true}, 1);
  }
  EXPECT_EQ(control.counters().heuristics, 0);
}

TEST_F(ProductOperations, LowerPrecisionRoundsWhereCudnnHasNoPlanToo) {
  const Conv1dKernelGradient op{
      {.batch = 2, .length = 60, .channels = 8, .positions = 31, .filters = 8, .taps = 30, .stride = 1, .pad = 0}};
  const Memories start = random_operands(random, op);
  std::vector<std::vector<float>> found;
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    const auto backend = make_backend({.precision = precision});
    Memories operands = start;
    run_on(*backend, op, operands);
    found.push_back(operands[2]);
  }
  EXPECT_NE(found[0], found[1]);
}

TEST_F(ProductOperations, AConvolutionIsCutAsItsFileSays) {
  const Conv1d op{
      {.batch = 10, .length = 191, .channels = 8, .positions = 128, .filters = 8, .taps = 64, .stride = 1, .pad = 0}};
  const Memories start = random_operands(random, op);
  const std::string file = std::filesystem::path(testing::TempDir()) / ("ways-" + std::to_string(getpid()));
  const std::string plans = file + ".cudnn";
  const auto run = [&] {
    const auto backend = make_backend({.choices_file = file.c_str()});
    Memories operands = start;
    run_on(*backend, op, operands);
    return operands[2];
  };
  const std::vector<float> usual = run();
  std::string text = read_file(plans);
  ASSERT_NE(text.find("own:13 "), std::string::npos) << text;
  EXPECT_EQ(run(), usual);
  std::ofstream(plans) << text.replace(text.find("own:13 "), 7, "own:12 ");
  EXPECT_NE(run(), usual) << "fewer parts have other bits";
  std::filesystem::remove(plans);
}

TEST_F(ProductOperations, ConvolutionsAgreeWithTheReferenceWithAndWithoutCudnn) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const auto backend = make_backend({.precision = precision});
    for (int i = 0; i < 25; ++i) {
      const Conv1dShape s = random_convolution(random, uniform(random, 1, 4), uniform(random, 1, 9), 40);
      SCOPED_TRACE(text(s) + std::to_string(static_cast<int>(precision)));
      const bool add_bias = uniform(random, 0, 1) == 1;
      compare(*backend, Conv1d{s, add_bias, static_cast<Activation>(uniform(random, 0, 3))}, s.taps * s.channels);
      compare(*backend, Conv1dKernelGradient{s, add_bias}, s.batch * s.positions);
      compare(*backend, Conv1dInputGradient{s, static_cast<Activation>(uniform(random, 0, 3))}, s.taps * s.filters);
    }
  }
}

TEST_F(ProductOperations, AlgorithmFftIsRefused) {
  const auto backend = make_backend({});
  Conv1dShape s = random_convolution(random, 1, 1, 40);
  s.fft = true;
  EXPECT_THAT(text_thrown<InputError>([&] { static_cast<void>(backend->scratch_bytes(Conv1d{s})); }),
              testing::HasSubstr("algorithm fft"));
}

TEST_F(ProductOperations, StatisticsOfABatchInShardsAreRefused) {
  const auto backend = make_backend({});
  for (const OpSpec& op : {OpSpec(BatchSums{4, 3, false}), OpSpec(BatchNormInputGradient{4, 3})}) {
    EXPECT_THAT(text_thrown<InputError>([&] { static_cast<void>(backend->scratch_bytes(op)); }),
                testing::HasSubstr("batch_statistics batch is not there on device cuda"));
  }
}

TEST_F(ProductOperations, ProductsThatPlanningNeverMakesAreOurMistake) {
  const auto backend = make_backend({});
  EXPECT_THROW(static_cast<void>(backend->scratch_bytes(MatMul{.m = 2, .n = 2, .k = 2, .add_to_c = true})),
               InternalError);
  EXPECT_THROW(
      static_cast<void>(backend->scratch_bytes(MatMul{.m = 2, .n = 2, .k = 2, .transpose_a = true, .outer_b = true})),
      InternalError);
}

TEST_F(ProductOperations, RecurrentLayersAgreeWithTheReference) {
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    const auto backend = make_backend({.precision = precision});
    for (int i = 0; i < 25; ++i) {
      LstmShape s{};
      s.batch = uniform(random, 1, 5);
      s.length = uniform(random, 1, 6);
      s.units = uniform(random, 1, 20);
      s.row = uniform(random, 0, 1) == 1 ? 2 * s.units : s.units;
      s.offset = s.row > s.units && uniform(random, 0, 1) == 1 ? s.units : 0;
      s.reverse = uniform(random, 0, 1) == 1;
      SCOPED_TRACE(text({s.batch, s.length, s.units, s.row, s.offset, s.reverse, static_cast<int>(precision)}));
      const Activation activation = uniform(random, 0, 1) == 1 ? Activation::tanh : Activation::relu;
      compare(*backend, Lstm{s, activation}, s.length * s.units);
      compare(*backend, LstmGradient{s, activation, uniform(random, 0, 1) == 1}, s.length * 4 * s.units);
      compare(*backend, LstmRecurrentGradient{s, uniform(random, 0, 1) == 1}, s.batch * s.length);
      compare(*backend, LstmLast{s}, 1);
    }
  }
}

TEST_F(ProductOperations, RecurrentLayersInBf16ComputeWithRoundedStatesAndKernels) {
  const auto backend = make_backend({.precision = Precision::bf16});
  const auto exact = make_backend({.precision = Precision::fp32});
  const LstmShape s{.batch = 3, .length = 4, .units = 5, .row = 10, .offset = 5, .reverse = true};
  const Lstm op{s, Activation::tanh};
  Memories operands = random_operands(random, op);
  Memories rounded = operands;
  for (float& weight : operands[1]) weight = std::bit_cast<float>(std::bit_cast<std::uint32_t>(weight) & 0xffff0000U);
  rounded[1] = operands[1];
  run_on(*exact, op, operands);
  run_on(*backend, op, rounded);
  // The first position computed has no states before it; the next one has rounded ones.
  const auto gate = [&](const Memories& of, std::int64_t position) {
    return of[0][static_cast<std::size_t>(position * 4 * s.units)];
  };
  EXPECT_EQ(gate(rounded, 3), gate(operands, 3));
  EXPECT_NE(gate(rounded, 2), gate(operands, 2));
}

/// Convolutions as products of the unfolded input, issued by hand.
class Unfolded : public ProductOperations {
 protected:
  void SetUp() override {
    ProductOperations::SetUp();
    ASSERT_EQ(cudaStreamCreateWithFlags(&target.stream, cudaStreamNonBlocking), cudaSuccess);
    target.workspace = allocate(kWorkspaceBytes);
    target.workspace_bytes = kWorkspaceBytes;
    target.counters = static_cast<unsigned*>(allocate(kCounters * sizeof(unsigned)));
    target.multiprocessors = 16;
    ASSERT_EQ(cudaMemset(target.counters, 0, kCounters * sizeof(unsigned)), cudaSuccess);
  }
  void TearDown() override {
    for (void* const memory : memories) cudaFree(memory);
    cudaStreamDestroy(target.stream);
    ProductOperations::TearDown();
  }

  void* allocate(std::int64_t bytes) {
    void* memory = nullptr;
    EXPECT_EQ(cudaMalloc(&memory, static_cast<std::size_t>(bytes)), cudaSuccess);
    memories.push_back(memory);
    return memory;
  }

  std::vector<float> run(const UnfoldedConvolution& op, Precision precision, const Memories& operands,
                         std::int64_t& scratch) {
    const DeviceMemorySource source{[this](std::int64_t bytes) { return allocate(bytes); }, [](void*) {}};
    Products products({}, target, source);
    Convolutions convolutions({}, target, source);
    const ProductTools tools{products, convolutions, precision};
    scratch = prepare(tools, op);
    Memory memory{};
    for (std::size_t i = 0; i < 3; ++i) {
      memory[i] = allocate(floats(std::ssize(operands[i])));
      EXPECT_EQ(cudaMemcpy(memory[i], operands[i].data(), 4 * operands[i].size(), cudaMemcpyHostToDevice), cudaSuccess);
    }
    memory[kScratch] = allocate(std::max<std::int64_t>(scratch, 1));
    issue(tools, target, op, memory);
    std::vector<float> result(operands[2].size());
    EXPECT_EQ(cudaStreamSynchronize(target.stream), cudaSuccess);
    EXPECT_EQ(cudaMemcpy(result.data(), memory[2], 4 * result.size(), cudaMemcpyDeviceToHost), cudaSuccess);
    return result;
  }

  Target target;
  std::vector<void*> memories;
};

TEST_F(Unfolded, SomeSamplesAtATimeAgreeWithTheReference) {
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    for (int i = 0; i < 40; ++i) {
      Conv1dShape s = random_convolution(random, uniform(random, 1, 9), uniform(random, 1, 9), 30);
      if (i % 5 == 0)
        s = {.batch = s.batch,
             .length = 7,
             .channels = s.channels,
             .positions = 7,
             .filters = 5,
             .taps = 1,
             .stride = 1,
             .pad = 0};
      const OpSpec specs[] = {Conv1d{s}, Conv1dKernelGradient{s}, Conv1dInputGradient{s}};
      const auto kind = static_cast<ConvolutionKind>(i % 3);
      Memories operands = random_operands(random, specs[i % 3]);
      const Memories expected = expected_of(specs[i % 3], operands);
      UnfoldedConvolution op{kind, image_of(s)};
      std::int64_t whole = 0, bounded = 0;
      operands[2] = run(op, precision, operands, whole);
      const double tolerance = sum_tolerance(s.batch * s.positions * s.taps * s.channels) + 40 * rounding_of(precision);
      expect_close(operands, expected, tolerance, specs[i % 3]);
      op.most_scratch_bytes = i % 2 == 0 ? 1 : whole / 3;  // one sample, or some
      operands[2] = run(op, precision, operands, bounded);
      expect_close(operands, expected, tolerance, specs[i % 3]);
      EXPECT_LE(bounded, whole) << text(s);
      if (i % 2 == 0 && s.batch > 1 && s.taps > 1 && whole > 10'000) {  // beyond what alignment adds
        EXPECT_LT(bounded, whole) << text(s);
      }
    }
  }
}

/// The fake complains of operands that are not aligned as it was told.
TEST_F(Unfolded, PartsOfSamplesAreAlignedAsTheirProductsSay) {
  const Conv1dShape s{
      .batch = 8, .length = 7, .channels = 1, .positions = 7, .filters = 8, .taps = 1, .stride = 1, .pad = 0};
  Memories operands = random_operands(random, Conv1d{s});
  const Memories expected = expected_of(Conv1d{s}, operands);
  UnfoldedConvolution op{ConvolutionKind::forward, image_of(s)};
  op.most_scratch_bytes = 4;  // four samples at a time: 112 bytes of x
  std::int64_t scratch = 0;
  operands[2] = run(op, Precision::fp32, operands, scratch);
  expect_close(operands, expected, sum_tolerance(1), Conv1d{s});
}

}  // namespace
}  // namespace regatta::engine::cuda
