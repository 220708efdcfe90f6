// The contract with NVIDIA's libraries: calls, and what the engine expects of them. The same list is asked of the fakes
// (test_gpu_contract, with every test run) and of the real libraries (gpu_contract, where there is a GPU). Where the
// answers differ a fake is wrong, or the engine is.
#pragma once

#include <cublasLt.h>
#include <cuda_runtime_api.h>

#include <functional>
#include <map>
#include <string>
#include <vector>

namespace regatta::gpu_contract {

/// Details beside the answer, for people and for the fakes' authors: numbers of algorithms, bytes.
using Details = std::map<std::string, std::string>;

/// Whether the fake answers exactly as the library must, or may refuse what the library takes.
enum class Agreement { exact, fake_may_refuse };

struct Case {
  std::string name;
  std::string expected;
  std::function<std::string(Details& details)> ask;
  Agreement agreement = Agreement::exact;
};

std::vector<Case> device_cases();
std::vector<Case> memory_cases();
std::vector<Case> copy_cases();
std::vector<Case> stream_cases();
std::vector<Case> capture_cases();
std::vector<Case> graph_cases();
std::vector<Case> product_cases();
std::vector<Case> epilogue_cases();
/// One for each convolution of each named model, in each precision: whether cuDNN has a plan for it.
std::vector<Case> convolution_cases();
/// One for each product of each named model, in each precision.
std::vector<Case> model_cases();

/// All of them; the convolutions and the products of models last.
std::vector<Case> all_cases();

std::string text(cudaError_t error);
std::string text(cublasStatus_t status);
/// "yes" or "no".
std::string text(bool value);

/// Two streams and an event for a case; gone with it.
class Streams {
 public:
  Streams();
  ~Streams();
  Streams(const Streams&) = delete;
  Streams& operator=(const Streams&) = delete;

  cudaStream_t first = nullptr, second = nullptr;
  cudaEvent_t event = nullptr;
};

enum class Start { zeros, unwritten };

/// Device memory of a case.
class DeviceFloats {
 public:
  explicit DeviceFloats(std::size_t count, Start start = Start::zeros);
  ~DeviceFloats();
  DeviceFloats(const DeviceFloats&) = delete;
  DeviceFloats& operator=(const DeviceFloats&) = delete;

  void write(const std::vector<float>& values);
  [[nodiscard]] std::vector<float> read() const;

  float* data = nullptr;
  std::size_t count = 0;
};

/// Pinned memory of a case.
class PinnedFloats {
 public:
  explicit PinnedFloats(std::size_t count);
  ~PinnedFloats();
  PinnedFloats(const PinnedFloats&) = delete;
  PinnedFloats& operator=(const PinnedFloats&) = delete;

  float* data = nullptr;
};

}  // namespace regatta::gpu_contract
