// Convolutions on the emulated device, with the half-fake cuDNN, beside the reference.
#pragma once

#include <cudnn_graph.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <filesystem>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <variant>
#include <vector>

#include "engine/cuda/convolutions/convolutions.hpp"
#include "engine/kernel_comparison.hpp"
#include "support/cuda/control.hpp"
#include "support/cuda/cudnn/orders.hpp"

namespace regatta::engine::cuda {

using AnyShape = std::variant<Conv1dShape, Conv2dShape>;

inline constexpr std::array<ConvolutionKind, 3> kKinds = {ConvolutionKind::forward, ConvolutionKind::kernel_gradient,
                                                          ConvolutionKind::input_gradient};

inline ConvolutionShape image_of(const AnyShape& shape) {
  return std::visit([](const auto& s) { return image_of(s); }, shape);
}

inline OpSpec spec_of(ConvolutionKind kind, const AnyShape& shape) {
  if (const auto* const line = std::get_if<Conv1dShape>(&shape)) {
    if (kind == ConvolutionKind::kernel_gradient) return Conv1dKernelGradient{.shape = *line};
    if (kind == ConvolutionKind::input_gradient) return Conv1dInputGradient{.shape = *line};
    return Conv1d{.shape = *line};
  }
  const auto& image = std::get<Conv2dShape>(shape);
  if (kind == ConvolutionKind::kernel_gradient) return Conv2dKernelGradient{.shape = image};
  if (kind == ConvolutionKind::input_gradient) return Conv2dInputGradient{.shape = image};
  return Conv2d{.shape = image};
}

/// "same" padding as models have it: most of an odd one behind.
inline Conv2dShape random_image(Random& random) {
  Conv2dShape s{};
  s.batch = uniform(random, 1, 3);
  s.channels = uniform(random, 1, 9);
  s.filters = uniform(random, 1, 9);
  s.taps = uniform(random, 1, 5);
  s.stride = uniform(random, 1, 3);
  const bool same = uniform(random, 0, 1) == 1;
  const auto outputs = [&](std::int64_t length) {
    return same ? (length + s.stride - 1) / s.stride : (length - s.taps) / s.stride + 1;
  };
  const auto pad = [&](std::int64_t length, std::int64_t positions) {
    return same ? (std::max((positions - 1) * s.stride + s.taps, length) - length) / 2 : 0;
  };
  s.rows = uniform(random, same ? 1 : s.taps, 12);
  s.columns = uniform(random, same ? 1 : s.taps, 12);
  s.out_rows = outputs(s.rows);
  s.out_columns = outputs(s.columns);
  s.pad_rows = pad(s.rows, s.out_rows);
  s.pad_columns = pad(s.columns, s.out_columns);
  return s;
}

inline AnyShape random_shape(Random& random) {
  if (uniform(random, 0, 1) == 1) return random_image(random);
  Conv1dShape s = random_convolution(random, uniform(random, 1, 3), uniform(random, 1, 9), 40);
  return s;
}

/// A convolution of 3 x 3 taps that engines know without copies of the image.
inline Conv2dShape plain_image() {
  return {.batch = 2,
          .rows = 8,
          .columns = 8,
          .channels = 8,
          .out_rows = 8,
          .out_columns = 8,
          .filters = 16,
          .taps = 3,
          .stride = 1,
          .pad_rows = 1,
          .pad_columns = 1};
}

/// An even number of taps, with "same" padding: one zero more behind than before.
inline Conv1dShape uneven_line() {
  return {.batch = 2, .length = 20, .channels = 8, .positions = 20, .filters = 16, .taps = 4, .stride = 1, .pad = 1};
}

/// For choosing: more than all plans take.
inline constexpr double kAmpleSeconds = 10;

inline std::string text_of(ConvolutionKind kind, const AnyShape& shape) { return text_of(kind, image_of(shape)); }

/// A fresh emulated machine, a stream, memory from cudaMalloc.
class ConvolutionTest : public testing::Test {
 protected:
  void SetUp() override {
    control.reset();
    cuda_fakes::cudnn::set_orders({});
    make_target();
  }

  void TearDown() override {
    convolutions.reset();
    EXPECT_EQ(cudaStreamDestroy(target.stream), cudaSuccess);
    EXPECT_EQ(control.complaints(), 0) << control.complaint(0);
    EXPECT_EQ(cuda_fakes::cudnn::live_descriptors(), 0);
    EXPECT_EQ(cuda_fakes::cudnn::live_handles(), 0);
    control.reset();
  }

  /// After errors that stay, and faults that nobody met.
  void fresh_machine() {
    convolutions.reset();
    control.reset();
    cudaGetLastError();
    make_target();
  }

  void make_target() {
    ASSERT_EQ(cudaStreamCreateWithFlags(&target.stream, cudaStreamNonBlocking), cudaSuccess);
    target.workspace = allocate(kWorkspaceBytes / 64);
    target.workspace_bytes = kWorkspaceBytes / 64;
    target.counters = static_cast<unsigned*>(allocate(kCounters * static_cast<std::int64_t>(sizeof(unsigned))));
    ASSERT_EQ(cudaMemset(target.counters, 0, kCounters * sizeof(unsigned)), cudaSuccess);
  }

  void* allocate(std::int64_t bytes) {
    void* memory = nullptr;
    if (cudaMalloc(&memory, static_cast<std::size_t>(bytes)) != cudaSuccess) {
      cudaGetLastError();
      throw std::bad_alloc();
    }
    return memory;
  }

  DeviceMemorySource source() {
    return {[this](std::int64_t bytes) { return allocate(bytes); }, [](void* memory) { cudaFree(memory); }};
  }

  /// A fresh object in the place of the one before.
  Convolutions& make(ConvolutionSettings settings = {}) {
    convolutions.reset();
    convolutions = std::make_unique<Convolutions>(std::move(settings), target, source());
    return *convolutions;
  }

  /// Operands on the device; those that hold nothing are null.
  Memory on_device(const Memories& memories, std::int64_t scratch_bytes) {
    Memory device{};
    for (std::size_t i = 0; i < kScratch; ++i) {
      if (memories[i].empty()) continue;
      const std::size_t bytes = memories[i].size() * sizeof(float);
      device[i] = allocate(static_cast<std::int64_t>(bytes));
      EXPECT_EQ(cudaMemcpyAsync(device[i], memories[i].data(), bytes, cudaMemcpyHostToDevice, target.stream),
                cudaSuccess);
    }
    if (scratch_bytes > 0) device[kScratch] = allocate(scratch_bytes);
    return device;
  }

  std::vector<float> read(const void* memory, std::size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(cudaMemcpyAsync(values.data(), memory, count * sizeof(float), cudaMemcpyDeviceToHost, target.stream),
              cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(target.stream), cudaSuccess);
    return values;
  }

  static void free_all(const Memory& memory) {
    for (void* const one : memory) {
      EXPECT_EQ(cudaFree(one), cudaSuccess);
    }
  }

  /// The result of the plan for these operands.
  std::vector<float> computed(const ConvolutionPlan& plan, const Memories& operands) {
    const Memory memory = on_device(operands, scratch_bytes(plan));
    convolutions->run(target, plan, memory);
    std::vector<float> result = read(memory[2], operands[2].size());
    free_all(memory);
    return result;
  }

  static std::vector<float> by_the_reference(const OpSpec& spec, Memories operands) {
    run(*cpu::make_backend({.kernels = KernelSet::reference}), spec, operands);
    return operands[2];
  }

  static Memories random_memories(Random& random, const OpSpec& spec) {
    Memories operands = random_operands(random, spec);
    std::fill(operands[2].begin(), operands[2].end(), std::nanf(""));
    return operands;
  }

  const cuda_fakes::Control& control = *regatta_cuda_emulator();
  Target target;
  std::unique_ptr<Convolutions> convolutions;
};

/// Fails unless they are as near as fp32 sums of so many terms are.
inline void expect_near(const std::vector<float>& actual, const std::vector<float>& expected, double tolerance,
                        const std::string& what) {
  ASSERT_EQ(actual.size(), expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    ASSERT_LE(std::abs(actual[i] - expected[i]), tolerance * std::max(1.0F, std::abs(expected[i])))
        << what << ": element " << i << " is " << actual[i] << ", the reference has " << expected[i];
  }
}

/// Takes every convolution in the ways 3 and 5, which do nothing, so that they are fast.
inline ConvolutionRival idle_rival() {
  return {.ways =
              [](ConvolutionKind, const ConvolutionShape&) {
                return std::vector<int>{3, 5};
              },
          .scratch_bytes = [](ConvolutionKind, const ConvolutionShape&, int) { return std::int64_t{0}; },
          .issue = [](const Target&, ConvolutionKind, const ConvolutionShape&, int, const Memory&) {}};
}

}  // namespace regatta::engine::cuda
