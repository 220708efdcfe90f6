#include <gmock/gmock.h>

#include <set>

#include "support/cuda/fixture.hpp"

namespace regatta::cuda_fakes {
namespace {

using ::testing::HasSubstr;

class StreamOrders : public FakeCuda {
 protected:
  void wait_for(cudaEvent_t event) { ASSERT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess); }

  /// A copy in one stream, and work on it in the other that waits for it, or does not.
  float second_result(bool waits) {
    float* const host = pinned_memory(1);
    float* const memory = device_memory(1);
    float* const result = device_memory(1);
    write(memory, {1});
    *host = 5;
    cudaEvent_t copied = nullptr;
    EXPECT_EQ(cudaEventCreateWithFlags(&copied, cudaEventDisableTiming), cudaSuccess);
    EXPECT_EQ(cudaMemcpyAsync(memory, host, 4, cudaMemcpyHostToDevice, other), cudaSuccess);
    EXPECT_EQ(cudaEventRecord(copied, other), cudaSuccess);
    if (waits) wait_for(copied);
    EXPECT_EQ(add_one(stream, result, memory, 1), cudaSuccess);
    EXPECT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
    return read(result, 1)[0];
  }
};

TEST_F(StreamOrders, LateWorkRunsWhenSomebodyWaits) {
  float* const memory = device_memory(1);
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 4, stream), cudaSuccess);
  EXPECT_EQ(control.counters().fills, 0);
  ASSERT_EQ(cudaStreamSynchronize(stream), cudaSuccess);
  EXPECT_EQ(control.counters().fills, 1);
}

TEST_F(StreamOrders, EarlyWorkRunsAtTheCall) {
  order(StreamOrder::early);
  float* const memory = device_memory(1);
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 4, stream), cudaSuccess);
  EXPECT_EQ(control.counters().fills, 1);
}

TEST_F(StreamOrders, WaitingMakesTheResultTheSameInEveryOrder) {
  order(StreamOrder::early);
  EXPECT_EQ(second_result(true), 6);
  order(StreamOrder::late);
  EXPECT_EQ(second_result(true), 6);
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    order(StreamOrder::random, seed);
    EXPECT_EQ(second_result(true), 6);
  }
}

TEST_F(StreamOrders, WorkOfOtherProcessesIsWaitedForInItsStreamAlone) {
  for (const StreamOrder streams : {StreamOrder::early, StreamOrder::late, StreamOrder::random}) {
    order(streams);
    float* const memory = device_memory(2);
    write(memory, {1, 1});
    int asked = 0;
    Work work{"shared", WorkKind::kernel, [=] { memory[0] = 7; }};
    work.is_ready = [&] { return ++asked > 50; };
    cudaEvent_t done = nullptr;
    ASSERT_EQ(cudaEventCreateWithFlags(&done, cudaEventDisableTiming), cudaSuccess);
    ASSERT_EQ(enqueue(stream, std::move(work)), cudaSuccess);
    ASSERT_EQ(cudaEventRecord(done, stream), cudaSuccess);
    ASSERT_EQ(add_one(other, memory + 1, memory + 1, 1), cudaSuccess);
    ASSERT_EQ(cudaStreamSynchronize(other), cudaSuccess);  // it waits for nobody
    EXPECT_EQ(cudaEventQuery(done), cudaErrorNotReady);
    EXPECT_LT(asked, 50);
    ASSERT_EQ(cudaEventSynchronize(done), cudaSuccess);
    EXPECT_EQ(asked, 51);
    EXPECT_EQ(read(memory, 2), (std::vector<float>{7, 2}));
  }
}

TEST_F(StreamOrders, AMissingWaitIsSeenLateAndAtRandom) {
  order(StreamOrder::late);
  EXPECT_EQ(second_result(false), 2);
  std::set<float> results;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    order(StreamOrder::random, seed);
    results.insert(second_result(false));
  }
  EXPECT_EQ(results, (std::set<float>{2, 6}));
}

TEST_F(StreamOrders, ASeedRepeatsItsOrder) {
  const auto results = [&](std::uint64_t seed) {
    order(StreamOrder::random, seed);
    std::vector<float> all;
    for (int i = 0; i < 10; ++i) all.push_back(second_result(false));
    return all;
  };
  EXPECT_EQ(results(3), results(3));
}

TEST_F(FakeCuda, EventsTellWhenTheirPointIsPassed) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaEventQuery(event), cudaSuccess);
  float* const memory = device_memory(1);
  ASSERT_EQ(cudaMemsetAsync(memory, 0, 4, stream), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(event, stream), cudaSuccess);
  int asked = 0;
  while (cudaEventQuery(event) == cudaErrorNotReady && asked < 1000) ++asked;
  EXPECT_LT(asked, 1000);
  EXPECT_EQ(control.counters().fills, 1);
  ASSERT_EQ(cudaEventSynchronize(event), cudaSuccess);
}

TEST_F(FakeCuda, WaitingForAnEventThatWasNeverRecordedIsComplainedOf) {
  cudaEvent_t event = nullptr;
  ASSERT_EQ(cudaEventCreateWithFlags(&event, cudaEventDisableTiming), cudaSuccess);
  EXPECT_EQ(cudaStreamWaitEvent(stream, event, 0), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("never recorded"));
}

TEST_F(FakeCuda, ElapsedTimeIsTheEmulatedClocks) {
  cudaEvent_t begin = nullptr;
  cudaEvent_t end = nullptr;
  ASSERT_EQ(cudaEventCreate(&begin), cudaSuccess);
  ASSERT_EQ(cudaEventCreate(&end), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(begin, stream), cudaSuccess);
  ASSERT_EQ(enqueue(stream, {"slow", WorkKind::kernel, [] {}, {}, 0, 0, 0.25}), cudaSuccess);
  ASSERT_EQ(cudaEventRecord(end, stream), cudaSuccess);
  float milliseconds = 0;
  EXPECT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaErrorNotReady);
  ASSERT_EQ(cudaEventSynchronize(end), cudaSuccess);
  ASSERT_EQ(cudaEventElapsedTime(&milliseconds, begin, end), cudaSuccess);
  EXPECT_NEAR(milliseconds, 250, 0.01);
}

TEST_F(FakeCuda, TheLegacyStreamIsComplainedOf) {
  EXPECT_EQ(add_one(nullptr, nullptr, nullptr, 0), cudaErrorIllegalAddress);
  EXPECT_THAT(complaint(), HasSubstr("legacy default stream"));
}

TEST_F(FakeCuda, StreamsThatWereDestroyedAreRefused) {
  ASSERT_EQ(cudaStreamDestroy(stream), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(add_one(stream, nullptr, nullptr, 0), cudaErrorInvalidResourceHandle);
  EXPECT_EQ(cudaStreamDestroy(stream), cudaErrorInvalidResourceHandle);
}

TEST_F(FakeCuda, WorkOfADestroyedStreamIsDone) {
  float* const memory = device_memory(1);
  write(memory, {1});
  ASSERT_EQ(add_one(other, memory, memory, 1), cudaSuccess);
  ASSERT_EQ(cudaStreamDestroy(other), cudaSuccess);
  EXPECT_EQ(read(memory, 1)[0], 2);
}

TEST_F(FakeCuda, AFailingKernelIsComplainedOf) {
  ASSERT_EQ(enqueue(stream, "broken", [] { throw std::runtime_error("two barriers"); }), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorIllegalAddress);
  EXPECT_EQ(complaint(), "broken: two barriers");
  EXPECT_EQ(cudaMalloc(reinterpret_cast<void**>(&stream), 4), cudaErrorIllegalAddress);
}

TEST_F(FakeCuda, OrderedFaultsComeWhenTheirTurnComes) {
  control.fail_next("cudaMalloc", cudaErrorMemoryAllocation, 1);
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorMemoryAllocation);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
}

TEST_F(FakeCuda, StickyErrorsStay) {
  control.fail_next("add_one", cudaErrorECCUncorrectable, 0);
  float* const memory = device_memory(1);
  ASSERT_EQ(add_one(stream, memory, memory, 1), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(stream), cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaGetLastError(), cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaGetLastError(), cudaErrorECCUncorrectable);
  EXPECT_EQ(cudaFree(memory), cudaErrorECCUncorrectable);
}

TEST_F(FakeCuda, AKernelThatHangsHangsOnlyWhoWaits) {
  control.hang_next("add_one", 0);
  float* const memory = device_memory(1);
  write(memory, {1});
  ASSERT_EQ(add_one(stream, memory, memory, 1), cudaSuccess);
  EXPECT_EQ(cudaStreamSynchronize(other), cudaSuccess);
  for (int i = 0; i < 20; ++i) EXPECT_EQ(cudaStreamQuery(stream), cudaErrorNotReady);
}

TEST_F(FakeCuda, ThereMayBeNoDriver) {
  control.set_driver(0);
  int number = 1;
  EXPECT_EQ(cudaDriverGetVersion(&number), cudaSuccess);
  EXPECT_EQ(number, 0);
  EXPECT_EQ(cudaGetDeviceCount(&number), cudaErrorInsufficientDriver);
  EXPECT_EQ(cudaFree(nullptr), cudaErrorInsufficientDriver);
}

TEST_F(FakeCuda, ThereMayBeNoOrManyDevices) {
  control.set_devices(0, 1 << 20);
  int count = 1;
  EXPECT_EQ(cudaGetDeviceCount(&count), cudaErrorNoDevice);
  control.set_devices(8, 1 << 20);
  ASSERT_EQ(cudaGetDeviceCount(&count), cudaSuccess);
  EXPECT_EQ(count, 8);
  std::set<std::string> uuids;
  for (int i = 0; i < 8; ++i) {
    cudaDeviceProp properties;
    ASSERT_EQ(cudaGetDeviceProperties(&properties, i), cudaSuccess);
    uuids.insert(std::string(properties.uuid.bytes, 16));
  }
  EXPECT_EQ(uuids.size(), 8U);
  EXPECT_EQ(cudaSetDevice(8), cudaErrorInvalidDevice);
}

TEST_F(FakeCuda, DevicesHaveMemoryAndStreamsOfTheirOwn) {
  control.set_devices(2, 1 << 20);
  void* memory = nullptr;
  ASSERT_EQ(cudaMalloc(&memory, 1 << 20), cudaSuccess);
  ASSERT_EQ(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), cudaSuccess);
  ASSERT_EQ(cudaSetDevice(1), cudaSuccess);
  ASSERT_EQ(cudaMalloc(&memory, 1 << 20), cudaSuccess);
  EXPECT_EQ(add_one(stream, nullptr, nullptr, 0), cudaErrorInvalidResourceHandle);
  complain("of device 1");
  EXPECT_EQ(cudaDeviceSynchronize(), cudaErrorIllegalAddress);
  ASSERT_EQ(cudaSetDevice(0), cudaSuccess);
  EXPECT_EQ(cudaDeviceSynchronize(), cudaSuccess);
}

}  // namespace
}  // namespace regatta::cuda_fakes
