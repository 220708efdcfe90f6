#include "engine/cuda/recording.hpp"

#include "engine/cuda/cuda_test.hpp"

namespace regatta::engine::cuda {
namespace {

class Recordings : public CudaTest {
 protected:
  void SetUp() override {
    CudaTest::SetUp();
    backend = make_backend({.precision = Precision::tf32});  // in fp32 small products are not the library's
    sum = backend->allocate(40);
    backend->write(sum, nullptr, 40);
    for (int i = 0; i < 6; ++i) {
      inputs.push_back(backend->allocate(40));
      const std::vector<float> values(10, static_cast<float>(std::pow(10, i)));
      backend->write(inputs.back(), values.data(), 40);
    }
  }
  void TearDown() override {
    backend.reset();
    CudaTest::TearDown();
  }

  /// sum += x, twice.
  std::unique_ptr<Recording> record_adding(void* x) {
    const BoundCalls bound = backend->bind(spec, {sum, x});
    const std::vector<Call> calls{bound.calls[0], bound.calls[0]};
    return backend->record(calls);
  }
  static void feed(Recording& recording, void* x) {
    recording.set_operand(0, 1, x);
    recording.set_operand(1, 1, x);
  }

  const OpSpec spec = Add{10};
  std::unique_ptr<Backend> backend;
  void* sum = nullptr;
  std::vector<void*> inputs;
};

TEST_F(Recordings, AreCapturedOnceAndReplayed) {
  const auto recording = record_adding(inputs[0]);
  EXPECT_EQ(control.counters().instantiations, 0) << "only the first replay knows what is fed";
  for (int i = 0; i < 5; ++i) backend->replay(*recording);
  EXPECT_THAT(read(*backend, sum, 10), testing::Each(10));
  EXPECT_EQ(control.counters().instantiations, 1);
  EXPECT_EQ(control.counters().graph_launches, 5);
  EXPECT_EQ(control.graph_nodes().all, 2);
  EXPECT_EQ(control.graph_nodes().longest_path, 2);
}

TEST_F(Recordings, TellHowLongTheirGraphsTookToMake) {
  const auto recording = record_adding(nullptr);
  EXPECT_EQ(backend->graph_seconds(), 0);
  feed(*recording, inputs[0]);
  backend->replay(*recording);
  const double first = backend->graph_seconds();
  EXPECT_GT(first, 0);
  backend->replay(*recording);
  EXPECT_EQ(backend->graph_seconds(), first) << "it is there";
  for (void* const input : inputs) {  // more than are kept
    feed(*recording, input);
    const double before = backend->graph_seconds();
    backend->replay(*recording);
    EXPECT_EQ(backend->graph_seconds() > before, input != inputs[0]);
  }
}

TEST_F(Recordings, OfTwoMemoriesInTurnAreCapturedTwice) {
  const auto recording = record_adding(nullptr);
  for (int i = 0; i < 6; ++i) {
    feed(*recording, inputs[static_cast<std::size_t>(i % 2)]);
    backend->replay(*recording);
  }
  EXPECT_THAT(read(*backend, sum, 10), testing::Each(2 * 3 * 11));
  EXPECT_EQ(control.counters().instantiations, 2);
}

TEST_F(Recordings, FewGraphsAreKept) {
  const auto recording = record_adding(nullptr);
  for (int round = 0; round < 2; ++round) {
    for (void* const input : inputs) {
      feed(*recording, input);
      backend->replay(*recording);
    }
  }
  EXPECT_THAT(read(*backend, sum, 10), testing::Each(4 * 111111));
  EXPECT_LE(control.counters().live_executables, 4);
}

TEST_F(Recordings, AGraphIsGivenUpWhenItHasRun) {
  control.set_orders({StreamOrder::late, ThreadOrder::forward, 1});
  const auto recording = record_adding(nullptr);
  backend->synchronize(backend->event());
  const std::int64_t before = control.counters().kernels;
  for (std::size_t i = 0; i < 4; ++i) {
    feed(*recording, inputs[i]);
    backend->replay(*recording);
  }
  EXPECT_EQ(control.counters().kernels, before);
  feed(*recording, inputs[4]);
  backend->replay(*recording);
  EXPECT_EQ(control.counters().kernels, before + 4 * 2) << "the first makes room for the fifth";
}

TEST_F(Recordings, ACaptureThatFailsLeavesTheStreamAsItWas) {
  const auto recording = record_adding(inputs[0]);
  control.fail_next("cudaGraphInstantiate", cudaErrorInvalidValue, 0);
  EXPECT_THAT(text_thrown<DeviceError>([&] { backend->replay(*recording); }),
              testing::StartsWith("cudaGraphInstantiate: "));
  backend->replay(*recording);
  EXPECT_THAT(read(*backend, sum, 10), testing::Each(2));
}

TEST_F(Recordings, NoLaterCallMeetsThatACaptureWasBrokenOff) {
  const Stream stream = make_stream();
  EXPECT_THAT(text_thrown<DeviceError>([&] {
                capture(stream.get(), [&] { require(cudaStreamSynchronize(stream.get()), "cudaStreamSynchronize"); });
              }),
              testing::HasSubstr("cudaErrorStreamCapture"));
  EXPECT_EQ(cudaPeekAtLastError(), cudaSuccess);
}

TEST_F(Recordings, AnAlgorithmIsNotChosenInACapture) {
  const OpSpec product = MatMul{.m = 3, .n = 3, .k = 3};
  const BoundCalls bound = backend->bind(product, {inputs[0], inputs[1], sum});  // scratch_bytes() was not asked
  const auto recording = backend->record(std::span(bound.calls.data(), 1));
  EXPECT_THROW(backend->replay(*recording), InternalError);
  const auto other = record_adding(inputs[0]);
  EXPECT_NO_THROW(backend->replay(*other));
  static_cast<void>(backend->scratch_bytes(product));
  EXPECT_NO_THROW(backend->replay(*recording));
  EXPECT_THAT(read(*backend, sum, 9), testing::Each(30));
}

TEST_F(Recordings, EmptiedOnesHaveAsManyNodes) {
  const auto emptied = make_backend({.precision = Precision::tf32, .empty_kernels = true});
  const OpSpec product = MatMul{.m = 3, .n = 3, .k = 3, .derivative = Activation::tanh};
  std::vector<std::int64_t> nodes;
  for (Backend* const made : {backend.get(), emptied.get()}) {
    static_cast<void>(made->scratch_bytes(product));
    const BoundCalls bound = made->bind(product, {inputs[0], inputs[1], sum, nullptr, inputs[2]});
    const auto recording = made->record(std::span(bound.calls.data(), 1));
    made->replay(*recording);
    nodes.push_back(control.graph_nodes().all);
  }
  EXPECT_EQ(nodes[0], 2);
  EXPECT_EQ(nodes[1], 2);
  EXPECT_EQ(control.graph_nodes().products, 0);
}

}  // namespace
}  // namespace regatta::engine::cuda
