// Convolutions through cuDNN against the reference: every kind, precision, order of streams, eager and captured.
#include "engine/cuda/convolutions/convolutions.hpp"

#include <bit>

#include "engine/cuda/convolutions/convolution_test.hpp"
#include "engine/cuda/device/check.hpp"
#include "engine/cuda/device/handles.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {
namespace {

using cuda_fakes::StreamOrder;
using cuda_fakes::ThreadOrder;

/// Terms of the longest sum of any of the three kinds.
std::int64_t terms(const ConvolutionShape& s) {
  const std::int64_t taps = s.taps_rows * s.taps_columns;
  return std::max({taps * s.channels, taps * s.filters, s.batch * s.out_rows * s.out_columns});
}

float rounded(float value, int bits) {
  const int cut = 23 - bits;
  auto pattern = std::bit_cast<std::uint32_t>(value);
  pattern = (pattern + (std::uint32_t{1} << (cut - 1)) - 1 + (pattern >> cut & 1U)) >> cut << cut;
  return std::bit_cast<float>(pattern);
}

Memories rounded(Memories operands, int bits) {
  for (float& value : operands[0]) value = rounded(value, bits);
  for (float& value : operands[1]) value = rounded(value, bits);
  return operands;
}

TEST_F(ConvolutionTest, EveryKindIsWhatTheReferenceComputes) {
  Random random(test_seed());
  make();
  int planned = 0;
  for (int i = 0; i < 60; ++i) {
    const AnyShape shape = random_shape(random);
    const std::array<StreamOrder, 3> orders{StreamOrder::early, StreamOrder::late, StreamOrder::random};
    control.set_orders({orders[static_cast<std::size_t>(i % 3)], ThreadOrder::forward, static_cast<std::uint64_t>(i)});
    for (const ConvolutionKind kind : kKinds) {
      const ConvolutionPlan* const plan = convolutions->find(kind, image_of(shape));
      if (plan == nullptr) continue;
      ++planned;
      const OpSpec spec = spec_of(kind, shape);
      const Memories operands = random_memories(random, spec);
      expect_near(computed(*plan, operands), by_the_reference(spec, operands), sum_tolerance(terms(image_of(shape))),
                  text_of(kind, shape) + ", " + text_of(*plan));
    }
  }
  EXPECT_GT(planned, 100) << "the fake has engines for nearly all shapes";
}

TEST_F(ConvolutionTest, OperandsAreRoundedToThePrecisionAndSumsAreNot) {
  Random random(test_seed());
  for (const auto& [precision, bits] : {std::pair{Precision::tf32, 10}, std::pair{Precision::bf16, 7}}) {
    make({.precision = precision});
    for (const AnyShape& shape : {AnyShape(plain_image()), AnyShape(uneven_line())}) {
      for (const ConvolutionKind kind : kKinds) {
        const ConvolutionPlan* const plan = convolutions->find(kind, image_of(shape));
        ASSERT_NE(plan, nullptr) << convolutions->refusal(kind, image_of(shape));
        const OpSpec spec = spec_of(kind, shape);
        const Memories operands = random_memories(random, spec);
        expect_near(computed(*plan, operands), by_the_reference(spec, rounded(operands, bits)),
                    sum_tolerance(terms(image_of(shape))), text_of(kind, shape));
      }
    }
  }
}

TEST_F(ConvolutionTest, PositionsThatAskForMoreAtTheEndAreComputedOverWidenedImages) {
  make();
  const AnyShape shape = uneven_line();
  const ConvolutionPlan* plan = convolutions->find(ConvolutionKind::forward, image_of(shape));
  ASSERT_NE(plan, nullptr);
  EXPECT_THAT(text_of(*plan), testing::HasSubstr("over padded images"));
  cuda_fakes::cudnn::set_orders({.computes_uneven_padding = true});
  make();
  plan = convolutions->find(ConvolutionKind::forward, image_of(shape));
  ASSERT_NE(plan, nullptr);
  EXPECT_THAT(text_of(*plan), testing::Not(testing::HasSubstr("over padded images")));
  Random random(test_seed());
  for (const ConvolutionKind kind : kKinds) {
    plan = convolutions->find(kind, image_of(shape));
    const OpSpec spec = spec_of(kind, shape);
    const Memories operands = random_memories(random, spec);
    expect_near(computed(*plan, operands), by_the_reference(spec, operands), 1e-5, text_of(kind, shape));
  }
}

TEST_F(ConvolutionTest, RunsInACaptureGiveTheSameBits) {
  Random random(test_seed());
  for (const Precision precision : {Precision::fp32, Precision::bf16}) {
    make({.precision = precision});
    for (const ConvolutionKind kind : kKinds) {
      const AnyShape shape = uneven_line();
      const ConvolutionPlan* const plan = convolutions->find(kind, image_of(shape));
      ASSERT_NE(plan, nullptr);
      const Memories operands = random_memories(random, spec_of(kind, shape));
      const std::vector<float> eager = computed(*plan, operands);
      const Memory memory = on_device(operands, scratch_bytes(*plan));
      ASSERT_EQ(cudaStreamSynchronize(target.stream), cudaSuccess);
      ASSERT_EQ(cudaStreamBeginCapture(target.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
      convolutions->run(target, *plan, memory);
      cudaGraph_t captured = nullptr;
      ASSERT_EQ(cudaStreamEndCapture(target.stream, &captured), cudaSuccess);
      const Graph graph(captured);
      cudaGraphExec_t executable = nullptr;
      ASSERT_EQ(cudaGraphInstantiate(&executable, captured, 0), cudaSuccess);
      const GraphExec owned(executable);
      ASSERT_EQ(cudaGraphLaunch(executable, target.stream), cudaSuccess);
      const std::vector<float> replayed = read(memory[2], operands[2].size());
      EXPECT_EQ(std::memcmp(replayed.data(), eager.data(), eager.size() * sizeof(float)), 0);
      free_all(memory);
    }
  }
}

TEST_F(ConvolutionTest, ARunAllocatesNothingAndWaitsForNothing) {
  Random random(test_seed());
  make();
  const AnyShape shape = plain_image();
  const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, image_of(shape));
  ASSERT_NE(plan, nullptr);
  const Memories operands = random_memories(random, spec_of(ConvolutionKind::forward, shape));
  const Memory memory = on_device(operands, scratch_bytes(*plan));
  const cuda_fakes::Counters before = control.counters();
  convolutions->run(target, *plan, memory);
  const std::int64_t descriptors = cuda_fakes::cudnn::live_descriptors();
  convolutions->run(target, *plan, memory);
  EXPECT_EQ(cuda_fakes::cudnn::live_descriptors(), descriptors) << "the same operands have theirs";
  const cuda_fakes::Counters after = control.counters();
  EXPECT_EQ(after.allocations, before.allocations);
  EXPECT_EQ(after.synchronizations, before.synchronizations);
  EXPECT_EQ(after.launches - before.launches, 4) << "the kernel's filters first, then the convolution, twice";
  read(memory[2], operands[2].size());
  free_all(memory);
}

TEST_F(ConvolutionTest, AShapeIsLookedForOnce) {
  make();
  const ConvolutionShape shape = image_of(plain_image());
  const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, shape);
  ASSERT_NE(plan, nullptr);
  const std::int64_t launches = control.counters().launches;
  EXPECT_EQ(convolutions->find(ConvolutionKind::forward, shape), plan);
  EXPECT_EQ(control.counters().launches, launches);
}

TEST_F(ConvolutionTest, NoPlanIsLookedForInACapture) {
  make();
  ASSERT_EQ(cudaStreamBeginCapture(target.stream, cudaStreamCaptureModeThreadLocal), cudaSuccess);
  EXPECT_THROW(convolutions->find(ConvolutionKind::forward, image_of(plain_image())), InternalError);
  cudaGraph_t captured = nullptr;
  ASSERT_EQ(cudaStreamEndCapture(target.stream, &captured), cudaSuccess);
  EXPECT_EQ(cudaGraphDestroy(captured), cudaSuccess);
}

TEST_F(ConvolutionTest, WithoutTheLibraryThereAreNoPlansAndAReason) {
  cuda_fakes::cudnn::set_orders({.missing = "cuDNN 9 is missing: no such file"});
  make();
  EXPECT_EQ(convolutions->missing(), "cuDNN 9 is missing: no such file");
  EXPECT_EQ(convolutions->find(ConvolutionKind::forward, image_of(plain_image())), nullptr);
  EXPECT_EQ(convolutions->refusal(ConvolutionKind::forward, image_of(plain_image())), convolutions->missing());
  EXPECT_EQ(cudnn_version(), "cuDNN 9 is missing: no such file");
}

TEST_F(ConvolutionTest, WithoutAHandleThereAreNoPlansAndAReason) {
  control.fail_next("cudnnCreate", CUDNN_STATUS_NOT_INITIALIZED, 0);
  make();
  EXPECT_EQ(convolutions->find(ConvolutionKind::forward, image_of(plain_image())), nullptr);
  EXPECT_THAT(convolutions->missing(), testing::HasSubstr("cudnnCreate: CUDNN_STATUS_NOT_INITIALIZED"));
}

TEST_F(ConvolutionTest, TheLibrarysVersionIsTold) { EXPECT_EQ(cudnn_version(), "cuDNN 9.19.0"); }

TEST_F(ConvolutionTest, WhatTheLibraryRefusesInARunIsADeviceErrorThatNamesTheCall) {
  make();
  const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, image_of(plain_image()));
  ASSERT_NE(plan, nullptr);
  Random random(test_seed());
  const Memory memory =
      on_device(random_memories(random, spec_of(ConvolutionKind::forward, plain_image())), scratch_bytes(*plan));
  for (const char* const call : {"cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendExecute"}) {
    control.fail_next(call, CUDNN_STATUS_INTERNAL_ERROR, 0);
    try {
      convolutions->run(target, *plan, memory);
      FAIL() << call;
    } catch (const DeviceError& error) {
      EXPECT_THAT(error.what(), testing::HasSubstr(std::string(call) + ": CUDNN_STATUS_INTERNAL_ERROR"));
    }
  }
  convolutions->run(target, *plan, memory);
  read(memory[2], 1);
  free_all(memory);
}

TEST_F(ConvolutionTest, ARunOnALostDeviceSaysThatItIsLost) {
  make();
  Conv2dShape shape = plain_image();
  shape.filters = 1;  // cuDNN reads such a kernel as it lies: its call is the first
  const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, image_of(shape));
  ASSERT_NE(plan, nullptr);
  Random random(test_seed());
  const Memory memory =
      on_device(random_memories(random, spec_of(ConvolutionKind::forward, shape)), scratch_bytes(*plan));
  control.fail_next("cudaStreamSynchronize", cudaErrorIllegalAddress, 0);
  EXPECT_EQ(cudaStreamSynchronize(target.stream), cudaErrorIllegalAddress);
  try {
    convolutions->run(target, *plan, memory);
    FAIL();
  } catch (const LostDevice& error) {
    EXPECT_THAT(error.what(), testing::HasSubstr("cudnnBackendExecute"));
  }
  fresh_machine();
}

TEST_F(ConvolutionTest, ARunGoesIntoItsTargetsStream) {
  make();
  const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, image_of(plain_image()));
  ASSERT_NE(plan, nullptr);
  Random random(test_seed());
  const OpSpec spec = spec_of(ConvolutionKind::forward, plain_image());
  const Memories operands = random_memories(random, spec);
  const Memory memory = on_device(operands, scratch_bytes(*plan));
  ASSERT_EQ(cudaStreamSynchronize(target.stream), cudaSuccess);
  control.set_orders({StreamOrder::late, ThreadOrder::forward, 1});
  const Stream other = make_stream();
  Target elsewhere = target;
  elsewhere.stream = other.get();
  const std::int64_t before = control.counters().convolutions;
  convolutions->run(elsewhere, *plan, memory);
  ASSERT_EQ(cudaStreamSynchronize(other.get()), cudaSuccess);
  EXPECT_EQ(control.counters().convolutions - before, 1);
  expect_near(read(memory[2], operands[2].size()), by_the_reference(spec, operands), 1e-5, "in another stream");
  free_all(memory);
}

TEST_F(ConvolutionTest, AStreamThatTheHandleCannotUseIsADeviceError) {
  make();
  control.fail_next("cudnnSetStream", CUDNN_STATUS_BAD_PARAM, 0);
  EXPECT_THROW(convolutions->find(ConvolutionKind::forward, image_of(plain_image())), DeviceError);
}

TEST_F(ConvolutionTest, ManyOperandsOfOneShapeDoNotLeaveTheirDescriptorsBehind) {
  make();
  const AnyShape shape = plain_image();
  const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, image_of(shape));
  ASSERT_NE(plan, nullptr);
  Random random(test_seed());
  const Memories operands = random_memories(random, spec_of(ConvolutionKind::forward, shape));
  std::vector<Memory> all;
  const std::int64_t before = cuda_fakes::cudnn::live_descriptors();
  for (int i = 0; i < 40; ++i) all.push_back(on_device(operands, scratch_bytes(*plan)));
  for (const Memory& memory : all) convolutions->run(target, *plan, memory);
  EXPECT_LE(cuda_fakes::cudnn::live_descriptors() - before, 16);
  for (const Memory& memory : all) {
    read(memory[2], 1);
    free_all(memory);
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
