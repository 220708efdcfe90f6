#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {

std::string text(cudaError_t error) { return cudaGetErrorName(error); }
std::string text(cublasStatus_t status) { return cublasLtGetStatusName(status); }
std::string text(bool value) { return value ? "yes" : "no"; }

std::vector<Case> all_cases() {
  std::vector<Case> all;
  for (auto* const family : {device_cases, memory_cases, copy_cases, stream_cases, capture_cases, graph_cases,
                             product_cases, epilogue_cases, convolution_cases, model_cases}) {
    for (Case& one : family()) all.push_back(std::move(one));
  }
  return all;
}

Streams::Streams() {
  cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking);
  cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking);
  cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
}

Streams::~Streams() {
  // A case may have left a capture behind.
  for (cudaStream_t stream : {first, second}) {
    cudaGraph_t graph = nullptr;
    cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
    if (cudaStreamIsCapturing(stream, &status) != cudaSuccess || status == cudaStreamCaptureStatusNone) continue;
    cudaStreamEndCapture(stream, &graph);
    if (graph) cudaGraphDestroy(graph);
  }
  cudaDeviceSynchronize();
  cudaEventDestroy(event);
  cudaStreamDestroy(first);
  cudaStreamDestroy(second);
}

DeviceFloats::DeviceFloats(std::size_t wanted, Start start) : count(wanted) {
  cudaMalloc(reinterpret_cast<void**>(&data), count * sizeof(float));
  if (start == Start::zeros) write(std::vector<float>(count));
}

DeviceFloats::~DeviceFloats() { cudaFree(data); }

void DeviceFloats::write(const std::vector<float>& values) {
  cudaMemcpy(data, values.data(), values.size() * sizeof(float), cudaMemcpyHostToDevice);
  cudaDeviceSynchronize();
}

std::vector<float> DeviceFloats::read() const {
  std::vector<float> values(count);
  cudaDeviceSynchronize();
  cudaMemcpy(values.data(), data, count * sizeof(float), cudaMemcpyDeviceToHost);
  return values;
}

PinnedFloats::PinnedFloats(std::size_t count) {
  cudaMallocHost(reinterpret_cast<void**>(&data), count * sizeof(float));
}

PinnedFloats::~PinnedFloats() { cudaFreeHost(data); }

}  // namespace regatta::gpu_contract
