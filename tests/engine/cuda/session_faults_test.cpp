// Each call of CUDA and its libraries that fails once: the right exception, nothing left behind, and the next session
// as if nothing had been.
#include <array>

#include "engine/cuda/session_test.hpp"

namespace regatta::engine::cuda {
namespace {

/// A model with a product, a convolution and a recurrent layer.
Task all_families() {
  Random random(5);
  Task task;
  task.network = {"all",
                  {12, 3},
                  {model::Conv1d{6, 3, 1, model::Padding::same, model::Activation::relu}, model::Lstm{4},
                   model::Dense{5, model::Activation::relu}, model::Dense{2}},
                  model::Loss::mse,
                  model::Adam{0.01}};
  task.settings.batch = 3;
  for (int i = 0; i < 3; ++i) task.batches.push_back(random_batch(random, task.network, 3));
  return task;
}

/// The exception that a failed call becomes.
enum class Thrown { nothing, no_memory, lost, device };

template <class Work>
Thrown thrown_by(const Work& work, std::string& text) {
  try {
    work();
  } catch (const std::bad_alloc&) {
    return Thrown::no_memory;
  } catch (const LostDevice& error) {
    text = error.what();
    return Thrown::lost;
  } catch (const DeviceError& error) {
    text = error.what();
    return Thrown::device;
  }
  return Thrown::nothing;
}

struct Fault {
  const char* call;
  std::int32_t status;
  Thrown thrown;
};

constexpr Fault kFaults[] = {
    {"cudaGetDeviceCount", cudaErrorInitializationError, Thrown::device},
    {"cudaGetDeviceProperties", cudaErrorInvalidDevice, Thrown::device},
    {"cudaSetDevice", cudaErrorDevicesUnavailable, Thrown::device},
    {"cudaStreamCreateWithFlags", cudaErrorInvalidValue, Thrown::device},
    {"cudaEventCreateWithFlags", cudaErrorInvalidValue, Thrown::device},
    {"cudaMemPoolCreate", cudaErrorNotSupported, Thrown::device},
    {"cudaMemPoolSetAttribute", cudaErrorInvalidValue, Thrown::device},
    {"cudaMallocFromPoolAsync", cudaErrorMemoryAllocation, Thrown::no_memory},
    {"cudaMallocFromPoolAsync", cudaErrorInvalidValue, Thrown::device},
    {"cudaMallocHost", cudaErrorMemoryAllocation, Thrown::no_memory},
    {"cudaMemsetAsync", cudaErrorInvalidValue, Thrown::device},
    {"cudaMemcpyAsync", cudaErrorInvalidValue, Thrown::device},
    {"cudaMemcpyAsync", cudaErrorECCUncorrectable, Thrown::lost},
    {"cudaEventRecord", cudaErrorInvalidResourceHandle, Thrown::device},
    {"cudaEventQuery", cudaErrorInvalidResourceHandle, Thrown::device},
    {"cudaStreamSynchronize", cudaErrorLaunchFailure, Thrown::lost},
    {"cudaStreamBeginCapture", cudaErrorInvalidValue, Thrown::device},
    {"cudaStreamIsCapturing", cudaErrorInvalidValue, Thrown::device},
    {"cudaGraphInstantiate", cudaErrorMemoryAllocation, Thrown::no_memory},
    {"cudaGraphInstantiate", cudaErrorInvalidValue, Thrown::device},
    {"cudaGraphLaunch", cudaErrorIllegalAddress, Thrown::lost},
    {"cudaGraphLaunch", cudaErrorInvalidValue, Thrown::device},
    {"cublasLtCreate", CUBLAS_STATUS_NOT_INITIALIZED, Thrown::device},
    {"cublasLtCreate", CUBLAS_STATUS_ALLOC_FAILED, Thrown::no_memory},
    {"cublasLtMatmulDescCreate", CUBLAS_STATUS_ALLOC_FAILED, Thrown::no_memory},
    {"cublasLtMatmulDescSetAttribute", CUBLAS_STATUS_INVALID_VALUE, Thrown::device},
    {"cublasLtMatrixLayoutCreate", CUBLAS_STATUS_ALLOC_FAILED, Thrown::no_memory},
    {"cublasLtMatmulPreferenceCreate", CUBLAS_STATUS_ALLOC_FAILED, Thrown::no_memory},
    {"cublasLtMatmulPreferenceSetAttribute", CUBLAS_STATUS_INVALID_VALUE, Thrown::device},
    {"cublasLtMatmulAlgoGetHeuristic", CUBLAS_STATUS_INTERNAL_ERROR, Thrown::device},
    {"cublasLtMatmul", CUBLAS_STATUS_EXECUTION_FAILED, Thrown::device},
};

class SessionFaults : public CudaTest {};

TEST_F(SessionFaults, EachCallThatFailsIsThrownAsWhatItMeansAndLeavesNothing) {
  const Task task = all_families();
  const auto expected = outcome(task, {});
  for (const Fault& fault : kFaults) {
    for (const std::int32_t after : {0, 1, 3, 9}) {
      fresh_machine();
      control.fail_next(fault.call, fault.status, after);
      SCOPED_TRACE(std::string(fault.call) + ' ' + std::to_string(fault.status) + " after " + std::to_string(after));
      std::string text;
      const Thrown thrown = thrown_by([&] { outcome(task, {}); }, text);
      if (thrown == Thrown::nothing && after > 0) continue;  // it is called less often
      EXPECT_EQ(thrown, fault.thrown) << text;
      if (thrown != Thrown::no_memory) {
        EXPECT_THAT(text, testing::HasSubstr(fault.call));
      }
      if (thrown == Thrown::lost) continue;  // and with the process all that it held
      expect_nothing_left();
      EXPECT_EQ(control.complaints(), 0) << control.complaint(0);
      EXPECT_TRUE(same_bits(outcome(task, {}), expected));
    }
  }
}

TEST_F(SessionFaults, AProductThatFailsInAStepIsMet) {
  const Task task = all_families();
  const auto backend = make_backend({});
  Settings settings = task.settings;
  settings.mode = Mode::eager;
  const auto session = make_session(task.network, model::initial_weights(task.network, 5), settings, *backend);
  for (const std::int32_t after : {0, 1, 3}) {
    session->step(task.batches[0].view());
    control.fail_next("cublasLtMatmul", CUBLAS_STATUS_EXECUTION_FAILED, after);
    EXPECT_THAT(text_thrown<DeviceError>([&] { session->step(task.batches[0].view()); }),
                testing::StartsWith("cublasLtMatmul: CUBLAS_STATUS_EXECUTION_FAILED"));
  }
}

TEST_F(SessionFaults, AFailureWhileABatchArrivesBesideTheStepIsMet) {
  const Task task = all_families();
  const auto backend = make_backend({.transfers = Transfers::overlapped});
  const auto session = make_session(task.network, model::initial_weights(task.network, 5), task.settings, *backend);
  for (const char* const call : {"cudaStreamWaitEvent", "cudaEventRecord", "cudaMemcpyAsync"}) {
    for (const std::int32_t after : {0, 1}) {
      session->step(task.batches[0].view());
      control.fail_next(call, cudaErrorInvalidValue, after);
      EXPECT_THAT(text_thrown<DeviceError>([&] {
                    for (int i = 0; i < 2; ++i) session->step(task.batches[0].view());
                  }),
                  testing::StartsWith(std::string(call) + ": "));
    }
  }
  session->step(task.batches[0].view());
  session->wait();
}

TEST_F(SessionFaults, APreallocatedBlockThatIsNotToBeHadIsNoMemory) {
  for (const char* const call : {"cudaMalloc", "cudaMemGetInfo"}) {
    control.fail_next(call, cudaErrorMemoryAllocation, 0);
    EXPECT_THROW(make_backend({.memory = DeviceMemory::preallocate}), std::bad_alloc) << call;
    expect_nothing_left();
  }
}

TEST_F(SessionFaults, AKernelThatFailsIsMetByTheNextWaitAndByAllThatFollow) {
  expects_complaints = true;
  const Task task = all_families();
  for (const Mode mode : {Mode::eager, Mode::graph}) {
    for (const cudaError_t error : {cudaErrorIllegalAddress, cudaErrorLaunchTimeout, cudaErrorECCUncorrectable}) {
      fresh_machine();
      const auto backend = make_backend({});
      Settings settings = task.settings;
      settings.mode = mode;
      const auto session = make_session(task.network, model::initial_weights(task.network, 5), settings, *backend);
      session->step(task.batches[0].view());
      session->wait();
      control.fail_next("advance_step", error, 1);
      std::string text;
      const auto step = [&] {
        for (int i = 0; i < 3; ++i) session->step(task.batches[1].view());
        session->wait();
      };
      EXPECT_EQ(thrown_by(step, text), Thrown::lost);
      EXPECT_THAT(text, testing::HasSubstr(cudaGetErrorName(error)));
      std::string again;
      EXPECT_EQ(thrown_by([&] { session->step(task.batches[1].view()); }, again), Thrown::lost);
      EXPECT_EQ(again, text);
    }
  }
}

TEST_F(SessionFaults, ABackendWhoseWorkNeverEndsGoesAtItsDeadlineAndKeepsWhatTheDeviceMayStillUse) {
  const Task task = all_families();
  {
    const auto backend = make_backend({.drain_seconds = 0.01});
    const auto session = make_session(task.network, model::initial_weights(task.network, 5), task.settings, *backend);
    session->step(task.batches[0].view());
    session->wait();
    control.hang_next("advance_step", 0);
    session->step(task.batches[1].view());
  }
  EXPECT_GT(control.counters().live_streams, 0);
  fresh_machine();  // as with the process all of it goes
}

}  // namespace
}  // namespace regatta::engine::cuda
