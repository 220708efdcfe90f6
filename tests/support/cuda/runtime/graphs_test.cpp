#include <gmock/gmock.h>

#include <set>

#include "support/cuda/fixture.hpp"

namespace regatta::cuda_fakes {
namespace {

using ::testing::HasSubstr;

class Capture : public FakeCuda {
 protected:
  void SetUp() override {
    FakeCuda::SetUp();
    memory = device_memory(4);
    write(memory, {0, 0, 0, 0});
    ASSERT_EQ(cudaEventCreateWithFlags(&fork, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(cudaEventCreateWithFlags(&join, cudaEventDisableTiming), cudaSuccess);
  }

  void begin() { ASSERT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaSuccess); }
  cudaError_t end() { return cudaStreamEndCapture(stream, &graph); }

  /// [1] = [0] + 1 and [2] = [1] + 1, the second in a stream forked off, which may lack an edge of its way back.
  cudaError_t forked(bool waits, bool joins) {
    begin();
    EXPECT_EQ(add_one(stream, memory, memory, 1), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
    EXPECT_EQ(cudaStreamWaitEvent(other, fork, 0), cudaSuccess);
    if (!waits) {
      EXPECT_EQ(add_one(other, memory + 2, memory + 1, 1), cudaSuccess);
      EXPECT_EQ(cudaEventRecord(join, other), cudaSuccess);
    }
    EXPECT_EQ(add_one(stream, memory + 1, memory, 1), cudaSuccess);
    if (waits) {
      EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
      EXPECT_EQ(cudaStreamWaitEvent(other, fork, 0), cudaSuccess);
      EXPECT_EQ(add_one(other, memory + 2, memory + 1, 1), cudaSuccess);
      EXPECT_EQ(cudaEventRecord(join, other), cudaSuccess);
    }
    if (joins) {
      EXPECT_EQ(cudaStreamWaitEvent(stream, join, 0), cudaSuccess);
    }
    return end();
  }

  float third_after_launch() {
    cudaGraphExec_t executable = nullptr;
    EXPECT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
    write(memory, {0, 0, 0, 0});
    EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
    return read(memory, 3)[2];
  }

  float* memory = nullptr;
  cudaEvent_t fork = nullptr, join = nullptr;
  cudaGraph_t graph = nullptr;
};

TEST_F(Capture, NothingRunsUntilTheGraphIsLaunched) {
  begin();
  EXPECT_EQ(add_one(stream, memory, memory, 1), cudaSuccess);
  ASSERT_EQ(end(), cudaSuccess);
  EXPECT_EQ(read(memory, 1)[0], 0);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaGraphDestroy(graph), cudaSuccess);
  for (int i = 0; i < 3; ++i) ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(read(memory, 1)[0], 3);
  EXPECT_EQ(control.counters().graph_launches, 3);
  EXPECT_EQ(control.counters().captured, 1);
  EXPECT_EQ(control.counters().launches, 0);
  EXPECT_EQ(control.counters().kernels, 3);
}

TEST_F(Capture, ForksAndJoinsBecomeEdges) {
  ASSERT_EQ(forked(true, true), cudaSuccess);
  std::size_t nodes = 0;
  std::size_t edges = 0;
  ASSERT_EQ(cudaGraphGetNodes(graph, nullptr, &nodes), cudaSuccess);
  ASSERT_EQ(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edges), cudaSuccess);
  EXPECT_EQ(nodes, 3U);
  EXPECT_EQ(edges, 3U);
  for (std::uint64_t seed = 1; seed <= 10; ++seed) {
    order(StreamOrder::random, seed);
    EXPECT_EQ(third_after_launch(), 3);
  }
  EXPECT_EQ(control.graph_nodes().kernels, 3);
  EXPECT_EQ(control.graph_nodes().longest_path, 3);
}

TEST_F(Capture, WorkBehindAJoinWaitsForBothSides) {
  begin();
  EXPECT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(other, fork, 0), cudaSuccess);
  EXPECT_EQ(add_one(stream, memory + 1, memory, 1), cudaSuccess);
  EXPECT_EQ(add_one(other, memory + 2, memory, 1), cudaSuccess);
  EXPECT_EQ(cudaEventRecord(join, other), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, join, 0), cudaSuccess);
  EXPECT_EQ(enqueue(stream, "sum", [at = memory] { at[3] += at[1] + at[2]; }), cudaSuccess);
  ASSERT_EQ(end(), cudaSuccess);
  for (std::uint64_t seed = 1; seed <= 5; ++seed) {
    order(StreamOrder::random, seed);
    const auto before = control.counters().kernels;
    third_after_launch();
    EXPECT_EQ(read(memory, 4)[3], 2);
    EXPECT_EQ(control.counters().kernels, before + 3);
  }
}

TEST_F(Capture, AMissingEdgeIsSeenInSomeOrders) {
  ASSERT_EQ(forked(false, true), cudaSuccess);
  std::set<float> results;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    order(StreamOrder::random, seed);
    results.insert(third_after_launch());
  }
  EXPECT_EQ(results, (std::set<float>{1, 3}));
}

TEST_F(Capture, AForkThatIsNotJoinedIsRefused) {
  EXPECT_EQ(forked(true, false), cudaErrorStreamCaptureUnjoined);
  EXPECT_EQ(graph, nullptr);
  EXPECT_EQ(add_one(other, memory, memory, 1), cudaSuccess);  // both streams are free again
  EXPECT_EQ(add_one(stream, memory, memory, 1), cudaSuccess);
}

TEST_F(Capture, WaitingInsideInvalidatesIt) {
  begin();
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorStreamCaptureUnsupported);
  EXPECT_EQ(add_one(stream, memory, memory, 1), cudaErrorStreamCaptureInvalidated);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  EXPECT_THAT(cudaGetErrorString(cudaErrorStreamCaptureInvalidated), HasSubstr("cudaStreamSynchronize"));
  begin();
  EXPECT_EQ(add_one(stream, memory, memory, 1), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
}

TEST_F(Capture, CallsThatItForbids) {
  void* made = nullptr;
  float number = 0;
  const auto forbidden = [&](auto call, cudaError_t error) {
    begin();
    EXPECT_EQ(call(), error);
    EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
  };
  const cudaError_t unsupported = cudaErrorStreamCaptureUnsupported;
  forbidden([&] { return cudaMalloc(&made, 4); }, unsupported);
  forbidden([&] { return cudaFree(memory); }, unsupported);
  forbidden([&] { return cudaMallocHost(&made, 4); }, unsupported);
  forbidden([&] { return cudaMallocAsync(&made, 4, stream); }, unsupported);
  forbidden([&] { return cudaDeviceSynchronize(); }, unsupported);
  forbidden([&] { return cudaStreamQuery(stream); }, unsupported);
  forbidden([&] { return cudaMemcpyAsync(memory, &number, 4, cudaMemcpyHostToDevice, stream); }, unsupported);
  forbidden([&] { return cudaMemcpy(&number, memory, 4, cudaMemcpyDeviceToHost); }, cudaErrorStreamCaptureImplicit);
  ASSERT_EQ(cudaEventRecord(join, other), cudaSuccess);
  forbidden([&] { return cudaEventSynchronize(join); }, unsupported);
  forbidden([&] { return cudaEventQuery(join); }, unsupported);
  forbidden([&] { return cudaStreamWaitEvent(stream, join, 0); }, cudaErrorStreamCaptureIsolation);
  EXPECT_EQ(control.complaints(), 0);
}

TEST_F(Capture, EventsOfACaptureCannotBeWaitedForByTheHost) {
  begin();
  ASSERT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  EXPECT_EQ(cudaEventSynchronize(fork), cudaErrorCapturedEvent);
  EXPECT_EQ(end(), cudaErrorStreamCaptureInvalidated);
}

TEST_F(Capture, OnlyItsOwnStreamEndsIt) {
  begin();
  ASSERT_EQ(cudaEventRecord(fork, stream), cudaSuccess);
  ASSERT_EQ(cudaStreamWaitEvent(other, fork, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamEndCapture(other, &graph), cudaErrorStreamCaptureUnmatched);
  EXPECT_EQ(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), cudaErrorIllegalState);
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(end(), cudaErrorIllegalState);
}

TEST_F(Capture, AnExecutableTakesTheArgumentsOfALikeGraph) {
  const auto captured = [&](float* to) {
    begin();
    EXPECT_EQ(add_one(stream, to, to, 1), cudaSuccess);
    EXPECT_EQ(end(), cudaSuccess);
    return graph;
  };
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, captured(memory), 0), cudaSuccess);
  cudaGraphExecUpdateResultInfo info;
  ASSERT_EQ(cudaGraphExecUpdate(executable, captured(memory + 1), &info), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(read(memory, 2), (std::vector<float>{0, 1}));
  begin();
  EXPECT_EQ(cudaMemsetAsync(memory, 0, 4, stream), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  EXPECT_EQ(cudaGraphExecUpdate(executable, graph, &info), cudaErrorGraphExecUpdateFailure);
  EXPECT_EQ(info.result, cudaGraphExecUpdateErrorNodeTypeChanged);
}

TEST_F(Capture, AGraphThatUsesFreedMemoryIsComplainedOf) {
  begin();
  EXPECT_EQ(cudaMemsetAsync(memory, 0, 4, stream), cudaSuccess);
  EXPECT_EQ(end(), cudaSuccess);
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  ASSERT_EQ(cudaFree(memory), cudaSuccess);
  ASSERT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("destination: freed memory"));
}

TEST_F(Capture, EmptyNodesFollowOneAnother) {
  cudaGraphNode_t before = nullptr;
  ASSERT_EQ(cudaGraphCreate(&graph, 0), cudaSuccess);
  for (int i = 0; i < 5; ++i) {
    cudaGraphNode_t node = nullptr;
    ASSERT_EQ(cudaGraphAddEmptyNode(&node, graph, &before, i == 0 ? 0 : 1), cudaSuccess);
    cudaGraphNodeType type = cudaGraphNodeTypeKernel;
    ASSERT_EQ(cudaGraphNodeGetType(node, &type), cudaSuccess);
    EXPECT_EQ(type, cudaGraphNodeTypeEmpty);
    before = node;
  }
  cudaGraphExec_t executable = nullptr;
  ASSERT_EQ(cudaGraphInstantiate(&executable, graph, 0), cudaSuccess);
  EXPECT_EQ(control.graph_nodes().longest_path, 5);
  EXPECT_EQ(cudaGraphLaunch(executable, stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
}

}  // namespace
}  // namespace regatta::cuda_fakes
