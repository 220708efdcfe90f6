#include <gmock/gmock.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>

#include "support/cuda/fixture.hpp"

namespace regatta::cuda_fakes {
namespace {

class Environment : public FakeCuda {
 protected:
  void SetUp() override {}
  void TearDown() override {
    unsetenv("REGATTA_EMULATED_CUDA");
    unsetenv("CUDA_VISIBLE_DEVICES");
    FakeCuda::TearDown();
  }
  void say(const char* words) {
    setenv("REGATTA_EMULATED_CUDA", words, 1);
    control.reset();
  }
  static int devices() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? count : -1;
  }
  static std::string uuid(int device) {
    cudaDeviceProp properties;
    EXPECT_EQ(cudaGetDeviceProperties(&properties, device), cudaSuccess);
    std::string text = "GPU-";
    for (int i = 0; i < 16; ++i) {
      if (i == 4 || i == 6 || i == 8 || i == 10) text += '-';
      char digits[3];
      std::snprintf(digits, sizeof digits, "%02x",
                    static_cast<unsigned>(static_cast<unsigned char>(properties.uuid.bytes[i])));
      text += digits;
    }
    return text;
  }
};

TEST_F(Environment, SaysOrdersDevicesAndMemory) {
  say("streams=random,threads=reverse,seed=7,devices=3,memory=2MiB,multiprocessors=5");
  EXPECT_EQ(control.orders().streams, StreamOrder::random);
  EXPECT_EQ(control.orders().threads, ThreadOrder::reverse);
  EXPECT_EQ(control.orders().seed, 7U);
  EXPECT_EQ(devices(), 3);
  cudaDeviceProp properties;
  ASSERT_EQ(cudaGetDeviceProperties(&properties, 2), cudaSuccess);
  EXPECT_EQ(properties.totalGlobalMem, 2U << 20);
  EXPECT_EQ(properties.multiProcessorCount, 5);
}

TEST_F(Environment, SaysFaults) {
  say("fail=cudaMalloc:2:1");
  void* memory = nullptr;
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaSuccess);
  EXPECT_EQ(cudaMalloc(&memory, 4), cudaErrorMemoryAllocation);
}

TEST_F(Environment, SaysThatThereIsNoDriver) {
  say("no_driver");
  EXPECT_EQ(devices(), -1);
  EXPECT_EQ(cudaFree(nullptr), cudaErrorInsufficientDriver);
  say("old_driver");
  int version = 0;
  EXPECT_EQ(cudaDriverGetVersion(&version), cudaSuccess);
  EXPECT_EQ(version, 12040);
  EXPECT_EQ(devices(), -1);
}

TEST_F(Environment, UnknownWordsEndTheProcess) {
  EXPECT_EXIT(say("streams=sideways"), ::testing::ExitedWithCode(2), "\"streams=sideways\" is not understood");
  EXPECT_EXIT(say("device=1"), ::testing::ExitedWithCode(2), "is not understood");
}

TEST_F(Environment, VisibleDevicesAreThoseOfTheBatchSystem) {
  say("devices=3");
  const std::string last = uuid(2);
  const std::string first = uuid(0);
  setenv("CUDA_VISIBLE_DEVICES", "2,0", 1);
  say("devices=3");
  EXPECT_EQ(devices(), 2);
  EXPECT_EQ(uuid(0), last);
  EXPECT_EQ(uuid(1), first);
  setenv("CUDA_VISIBLE_DEVICES", last.substr(0, 12).c_str(), 1);
  say("devices=3");
  EXPECT_EQ(devices(), 1);
  EXPECT_EQ(uuid(0), last);
  setenv("CUDA_VISIBLE_DEVICES", "1,7,0", 1);
  say("devices=3");
  EXPECT_EQ(devices(), 1);
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  say("devices=3");
  EXPECT_EQ(devices(), -1);
}

TEST_F(Environment, WithoutAWordTheBatchSystemsDevicesDoNotCount) {
  setenv("CUDA_VISIBLE_DEVICES", "", 1);
  control.reset();
  EXPECT_EQ(devices(), 1);
}

TEST_F(Environment, AKernelThatHangsHangsWhoWaits) {
  EXPECT_EXIT(
      {
        say("hang=add_one");
        alarm(1);
        cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking);
        enqueue(stream, "add_one", [] {});
        cudaStreamSynchronize(stream);
        std::exit(0);
      },
      ::testing::KilledBySignal(SIGALRM), "");
}

}  // namespace
}  // namespace regatta::cuda_fakes
