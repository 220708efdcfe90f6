#include <algorithm>
#include <numeric>

#include "gpu/contract/contract.hpp"

namespace regatta::gpu_contract {
namespace {

constexpr std::size_t kFloats = 1000;
constexpr std::size_t kBytes = kFloats * sizeof(float);

std::vector<float> counting() {
  std::vector<float> values(kFloats);
  std::iota(values.begin(), values.end(), 1.0F);
  return values;
}

std::string staged(Details& /*details*/) {
  const Streams streams;
  const DeviceFloats device(kFloats);
  auto host = counting();
  cudaMemcpyAsync(device.data, host.data(), kBytes, cudaMemcpyHostToDevice, streams.first);
  host.assign(kFloats, -1.0F);
  return text(device.read() == counting());
}

std::string waited_for(Details& /*details*/) {
  const Streams streams;
  DeviceFloats device(kFloats);
  device.write(counting());
  std::vector<float> host(kFloats);
  cudaMemcpyAsync(host.data(), device.data, kBytes, cudaMemcpyDeviceToHost, streams.first);
  return text(host == counting());
}

std::string there_and_back(Details& /*details*/) {
  const Streams streams;
  const PinnedFloats host(kFloats);
  const PinnedFloats back(kFloats);
  const DeviceFloats one(kFloats);
  const DeviceFloats two(kFloats);
  const auto values = counting();
  std::copy(values.begin(), values.end(), host.data);
  cudaMemcpyAsync(one.data, host.data, kBytes, cudaMemcpyHostToDevice, streams.first);
  cudaMemcpyAsync(two.data, one.data, kBytes, cudaMemcpyDeviceToDevice, streams.first);
  cudaMemcpyAsync(back.data, two.data, kBytes, cudaMemcpyDeviceToHost, streams.first);
  cudaStreamSynchronize(streams.first);
  return text(std::equal(values.begin(), values.end(), back.data));
}

std::string filled(Details& /*details*/) {
  const Streams streams;
  DeviceFloats device(kFloats);
  device.write(counting());
  cudaMemsetAsync(device.data, 0, kBytes / 2, streams.first);
  const auto values = device.read();
  const bool first_half = std::all_of(values.begin(), values.begin() + kFloats / 2, [](float v) { return v == 0; });
  return text(first_half && values[kFloats / 2] == counting()[kFloats / 2]);
}

}  // namespace

std::vector<Case> copy_cases() {
  return {
      {"copy: pageable memory is read at the call", "yes", staged},
      {"copy: to pageable memory is waited for", "yes", waited_for},
      {"copy: there, across and back", "yes", there_and_back},
      {"copy: fills", "yes", filled},
      {"copy: no bytes", "cudaSuccess",
       [](Details&) {
         const Streams streams;
         const DeviceFloats device(1);
         return text(cudaMemcpyAsync(device.data, device.data, 0, cudaMemcpyDeviceToDevice, streams.first));
       }},
      // The runtime goes by the pointers where they tell; a wrong word is a mistake all the same.
      {"copy: against its direction", "cudaErrorInvalidValue",
       [](Details&) {
         const Streams streams;
         const DeviceFloats device(1);
         const PinnedFloats host(1);
         return text(cudaMemcpyAsync(host.data, device.data, 4, cudaMemcpyHostToDevice, streams.first));
       },
       Agreement::fake_may_refuse},
      {"copy: direction told by the pointers", "cudaSuccess",
       [](Details&) {
         const Streams streams;
         const DeviceFloats device(1);
         const PinnedFloats host(1);
         return text(cudaMemcpyAsync(device.data, host.data, 4, cudaMemcpyDefault, streams.first));
       }},
      {"copy: past the end of device memory", "cudaErrorInvalidValue",
       [](Details&) {
         const Streams streams;
         const DeviceFloats device(1);
         const PinnedFloats host(1 << 22);
         return text(cudaMemcpyAsync(device.data, host.data, 1 << 24, cudaMemcpyHostToDevice, streams.first));
       },
       Agreement::fake_may_refuse},
      {"copy: filling the host's memory", "cudaErrorInvalidValue",
       [](Details&) {
         const Streams streams;
         std::vector<float> host(4);
         return text(cudaMemsetAsync(host.data(), 0, 16, streams.first));
       },
       Agreement::fake_may_refuse},
  };
}

}  // namespace regatta::gpu_contract
