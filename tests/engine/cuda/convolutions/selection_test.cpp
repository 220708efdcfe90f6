// The choice among cuDNN's engines: by arithmetic, determinism, workspace, failures and time.
#include "engine/cuda/convolutions/selection.hpp"

#include "engine/cuda/convolutions/convolution_test.hpp"
#include "engine/cuda/convolutions/engines.hpp"
#include "engine/cuda/device/check.hpp"
#include "regatta/base/clock.hpp"
#include "support/cuda/cudnn/engines.hpp"

namespace regatta::engine::cuda {
namespace {

namespace fake = cuda_fakes::cudnn;
using cuda_fakes::StreamOrder;
using cuda_fakes::ThreadOrder;
using testing::HasSubstr;
using testing::StartsWith;

class SelectionTest : public ConvolutionTest {
 protected:
  std::string chosen(const ConvolutionSettings& settings, const AnyShape& shape = plain_image(),
                     ConvolutionKind kind = ConvolutionKind::forward) {
    make(settings);
    const ConvolutionPlan* const plan = convolutions->find(kind, image_of(shape));
    return plan == nullptr ? "none: " + convolutions->refusal(kind, image_of(shape)) : text_of(*plan);
  }

  static std::string engine(std::int64_t index) { return "cuDNN engine " + std::to_string(index); }
  /// With its knob, TILE_SIZE.
  static std::string tiled(std::int64_t tile) { return engine(fake::kTiled) + ", knobs 2=" + std::to_string(tile); }
};

TEST_F(SelectionTest, Fp32TakesTheFirstEngineThatIsExactAndDeterministic) {
  EXPECT_EQ(chosen({}), tiled(2)) << "tensor cores, atomics, Winograd and FFT come before it";
}

TEST_F(SelectionTest, WhatNeedNotBeDeterministicIsNot) {
  EXPECT_EQ(chosen({.deterministic = false}), engine(fake::kAtomic));
  EXPECT_EQ(chosen({.precision = Precision::tf32, .deterministic = false}), engine(fake::kAtomic));
}

TEST_F(SelectionTest, Tf32AndBf16TakeTensorCores) {
  EXPECT_EQ(chosen({.precision = Precision::tf32}), engine(fake::kTensorCore));
  EXPECT_EQ(chosen({.precision = Precision::bf16}), engine(fake::kTensorCore)) << "not the one with bf16 sums";
}

TEST_F(SelectionTest, ADeterministicPlanGivesTheSameBitsEachTime) {
  Random random(test_seed());
  const OpSpec spec = spec_of(ConvolutionKind::kernel_gradient, plain_image());
  const Memories operands = random_memories(random, spec);
  make();
  const auto* plan = convolutions->find(ConvolutionKind::kernel_gradient, image_of(plain_image()));
  EXPECT_EQ(computed(*plan, operands), computed(*plan, operands));
  make({.deterministic = false});
  plan = convolutions->find(ConvolutionKind::kernel_gradient, image_of(plain_image()));
  EXPECT_NE(computed(*plan, operands), computed(*plan, operands)) << "the fake's atomics show it";
}

TEST_F(SelectionTest, AnEngineThatWantsTooMuchWorkspaceIsNotTaken) {
  EXPECT_EQ(chosen({.workspace_bytes = 0}), tiled(0));
  EXPECT_EQ(chosen({.workspace_bytes = std::int64_t{2} << 30}), engine(fake::kLargeWorkspace));
}

TEST_F(SelectionTest, ScratchMemoryHoldsTheWorkspace) {
  make();
  const auto* const plan = convolutions->find(ConvolutionKind::forward, image_of(plain_image()));
  const std::int64_t with = scratch_bytes(*plan);
  make({.workspace_bytes = 0});
  const auto* const without = convolutions->find(ConvolutionKind::forward, image_of(plain_image()));
  EXPECT_GE(with - scratch_bytes(*without), 2 * 4096);
}

TEST_F(SelectionTest, ScratchMemoryHoldsOperandsInBf16) {
  make({.precision = Precision::bf16, .workspace_bytes = 0});
  const ConvolutionShape shape = image_of(plain_image());
  const auto* const plan = convolutions->find(ConvolutionKind::forward, shape);
  ASSERT_NE(plan, nullptr);
  const std::int64_t alignment = 256;
  EXPECT_EQ(scratch_bytes(*plan), 2 * shape.input_size() + (4 + 2) * shape.kernel_size() + alignment);
}

TEST_F(SelectionTest, TheFallbackIsAskedWhereTheHeuristicsProposeNothing) {
  fake::set_orders({.only_falls_back = true});
  EXPECT_EQ(chosen({}), engine(fake::kPlain));
}

TEST_F(SelectionTest, AShapeThatNoEngineKnowsHasNoPlanAndAReason) {
  Conv2dShape shape = plain_image();
  shape.channels = shape.filters = 1;
  EXPECT_EQ(chosen({}, shape), "none: cuDNN proposes no engine for it");
  shape = plain_image();
  shape.channels = 7;
  EXPECT_EQ(chosen({.precision = Precision::bf16}, shape), "none: cuDNN proposes no engine for it");
}

TEST_F(SelectionTest, WhereNoProposalWillDoTheLastOneIsTheReason) {
  EXPECT_THAT(chosen({.precision = Precision::bf16, .workspace_bytes = -1}),
              StartsWith("none: engine " + std::to_string(fake::kTensorCore) + " wants 0 bytes of workspace"));
}

TEST_F(SelectionTest, AnyCallThatIsRefusedOnceLeavesAnotherPlanOrAReason) {
  const ConvolutionShape shape = image_of(plain_image());
  for (const char* const call : {"cudnnBackendCreateDescriptor", "cudnnBackendSetAttribute", "cudnnBackendGetAttribute",
                                 "cudnnBackendFinalize", "cudnnBackendExecute"}) {
    bool is_met = true;
    for (std::int32_t after = 0; is_met && after < 4000; after = after * 3 / 2 + 1) {
      control.fail_next(call, CUDNN_STATUS_INTERNAL_ERROR, after);
      make();
      const ConvolutionPlan* const plan = convolutions->find(ConvolutionKind::forward, shape);
      ASSERT_NE(plan, nullptr) << call << " after " << after << ": "
                               << convolutions->refusal(ConvolutionKind::forward, shape);
      is_met = text_of(*plan) != tiled(2) || after < 3;
      fresh_machine();
    }
  }
}

TEST_F(SelectionTest, CallsThatAreAllRefusedLeaveAReason) {
  make();
  ASSERT_EQ(convolutions->missing(), "");
  for (int i = 0; i < 100; ++i) control.fail_next("cudnnBackendCreateDescriptor", CUDNN_STATUS_INTERNAL_ERROR, 0);
  EXPECT_EQ(convolutions->find(ConvolutionKind::forward, image_of(plain_image())), nullptr);
  EXPECT_THAT(convolutions->refusal(ConvolutionKind::forward, image_of(plain_image())),
              HasSubstr("cudnnBackendCreateDescriptor: CUDNN_STATUS_INTERNAL_ERROR: by order of the test"));
}

TEST_F(SelectionTest, TheFastestIsTakenWhereThereIsTime) {
  EXPECT_EQ(chosen({.choosing_seconds = kAmpleSeconds}), tiled(1));
  EXPECT_EQ(chosen({.precision = Precision::tf32, .choosing_seconds = kAmpleSeconds}), engine(fake::kTensorCore));
}

TEST_F(SelectionTest, TheFastestIsTakenInEveryOrderOfStreams) {
  for (const StreamOrder order : {StreamOrder::early, StreamOrder::late, StreamOrder::random}) {
    control.set_orders({order, ThreadOrder::forward, 7});
    EXPECT_EQ(chosen({.choosing_seconds = kAmpleSeconds}), tiled(1));
  }
}

TEST_F(SelectionTest, TimeForChoosingEndsWithThePlanThatIsThere) {
  make({.choosing_seconds = 1e-9});
  const ConvolutionPlan* const first = convolutions->find(ConvolutionKind::forward, image_of(plain_image()));
  EXPECT_EQ(text_of(*first), tiled(2)) << "time for one plan";
  EXPECT_LE(control.counters().convolutions, 2 + 20) << "once at first, once to load it, and the runs of one round";
}

TEST_F(SelectionTest, EachShapeOfALargeModelHasTimeForAllItsWays) {
  std::map<int, int> runs;
  ConvolutionRival rival = idle_rival();
  rival.issue = [&runs](const Target&, ConvolutionKind, const ConvolutionShape&, int way, const Memory&) {
    ++runs[way];
  };
  make({.choosing_seconds = 1e-9, .rival = rival});
  for (const ConvolutionKind kind : {ConvolutionKind::forward, ConvolutionKind::kernel_gradient}) {
    runs.clear();
    static_cast<void>(convolutions->find(kind, image_of(plain_image())));
    EXPECT_EQ(runs.size(), 2U) << "the first shape took all that there was";
    for (const auto& [way, count] : runs) EXPECT_GE(count, 2) << way;
  }
}

TEST_F(SelectionTest, WhatIsFarBehindIsNotRunInEachRound) {
  chosen({.choosing_seconds = kAmpleSeconds, .rival = idle_rival()});
  EXPECT_LE(control.counters().convolutions, 8 * (2 + 20))
      << "eight plans, which are slower than nothing, in one round";
}

TEST_F(SelectionTest, NoMoreThanEightPlansAreTimed) {
  fake::set_orders({.computes_uneven_padding = true});
  chosen({.precision = Precision::tf32, .deterministic = false, .choosing_seconds = kAmpleSeconds}, uneven_line());
  EXPECT_LE(control.counters().convolutions, 8 * (2 + 4 * 20)) << "twelve would do, with and without copies";
}

TEST_F(SelectionTest, PlansOverAnImageThatNeedsNoPaddingAreTimedOnce) {
  Conv2dShape shape = plain_image();
  shape.pad_rows = shape.pad_columns = 0;
  shape.out_rows = shape.out_columns = 6;
  EXPECT_EQ(chosen({.choosing_seconds = kAmpleSeconds}, shape), tiled(1));
  EXPECT_LE(control.counters().convolutions, 4 * (2 + 4 * 20)) << "three tiles and the fallback";
}

TEST_F(SelectionTest, EachPlanIsRunOnceBeforeItIsCaptured) {
  make();
  const std::int64_t before = control.counters().convolutions;
  ASSERT_NE(convolutions->find(ConvolutionKind::forward, image_of(plain_image())), nullptr);
  EXPECT_EQ(control.counters().convolutions - before, 1);
}

TEST_F(SelectionTest, WhatIsTriedGivesItsMemoryBack) {
  const std::int64_t before = control.counters().live_bytes;
  EXPECT_EQ(chosen({.choosing_seconds = kAmpleSeconds}), tiled(1));
  EXPECT_EQ(chosen({}, uneven_line()), tiled(2) + ", over padded images");
  EXPECT_EQ(control.counters().live_bytes, before);
}

TEST_F(SelectionTest, WithoutMemoryToTryThePlanIsTakenAsItIs) {
  make();
  Convolutions without({}, target, {[](std::int64_t) -> void* { throw std::bad_alloc(); }, [](void*) {}});
  const auto* const plan = without.find(ConvolutionKind::forward, image_of(plain_image()));
  ASSERT_NE(plan, nullptr);
  EXPECT_EQ(text_of(*plan), engine(fake::kFailing)) << "what fails is seen only when it is run";
}

TEST_F(SelectionTest, ADeviceThatIsLostWhileAPlanIsTriedEndsTheSearch) {
  make();
  control.fail_next("cudaEventSynchronize", cudaErrorIllegalAddress, 0);
  EXPECT_THROW(convolutions->find(ConvolutionKind::forward, image_of(plain_image())), LostDevice);
  fresh_machine();
}

TEST(EngineNotesTest, ArithmeticIsWhatThePrecisionSays) {
  const auto bit = [](cudnnBackendNumericalNote_t note) { return std::uint32_t{1} << note; };
  for (const Precision precision : {Precision::fp32, Precision::tf32, Precision::bf16}) {
    EXPECT_TRUE(fits(0, precision, true));
    EXPECT_TRUE(fits(bit(CUDNN_NUMERICAL_NOTE_STRICT_NAN_PROP), precision, true));
    for (const auto note :
         {CUDNN_NUMERICAL_NOTE_DOWN_CONVERT_INPUTS, CUDNN_NUMERICAL_NOTE_REDUCED_PRECISION_REDUCTION,
          CUDNN_NUMERICAL_NOTE_FFT, CUDNN_NUMERICAL_NOTE_WINOGRAD, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_4x4,
          CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_6x6, CUDNN_NUMERICAL_NOTE_WINOGRAD_TILE_13x13}) {
      EXPECT_FALSE(fits(bit(note), precision, false)) << note;
    }
    EXPECT_FALSE(fits(std::uint32_t{1} << 31, precision, false)) << "a note that has no name yet";
    EXPECT_FALSE(fits(bit(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC), precision, true));
    EXPECT_TRUE(fits(bit(CUDNN_NUMERICAL_NOTE_NONDETERMINISTIC), precision, false));
    EXPECT_EQ(fits(bit(CUDNN_NUMERICAL_NOTE_TENSOR_CORE), precision, true), precision != Precision::fp32);
  }
}

}  // namespace
}  // namespace regatta::engine::cuda
