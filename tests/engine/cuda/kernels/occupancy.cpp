// Blocks that a multiprocessor of compute capability 9.0 holds: for each line "REGISTERS SHARED_BYTES THREADS" of the
// input a line with their number, as NVIDIA's cuda_occupancy.h counts them.
#include <cuda_occupancy.h>

#include <iostream>

namespace {

/// As the CUDA programming guide lists it for 9.0.
cudaOccDeviceProp capability_9_0() {
  cudaOccDeviceProp device{};
  device.computeMajor = 9;
  device.maxThreadsPerBlock = 1024;
  device.maxThreadsPerMultiprocessor = 2048;
  device.regsPerBlock = device.regsPerMultiprocessor = 65536;
  device.warpSize = 32;
  device.sharedMemPerBlock = 48 << 10;
  device.sharedMemPerBlockOptin = 227 << 10;
  device.sharedMemPerMultiprocessor = 228 << 10;
  device.reservedSharedMemPerBlock = 1 << 10;
  device.numSms = 132;
  return device;
}

}  // namespace

int main() {
  const cudaOccDeviceProp device = capability_9_0();
  const cudaOccDeviceState state{};
  int registers = 0, shared_bytes = 0, threads = 0;
  while (std::cin >> registers >> shared_bytes >> threads) {
    cudaOccFuncAttributes kernel{};
    kernel.maxThreadsPerBlock = threads;
    kernel.numRegs = registers;
    kernel.sharedSizeBytes = static_cast<std::size_t>(shared_bytes);
    cudaOccResult result{};
    if (cudaOccMaxActiveBlocksPerMultiprocessor(&result, &device, &kernel, &state, threads, 0) != CUDA_OCC_SUCCESS) {
      std::cerr << "occupancy: cuda_occupancy.h refuses " << registers << ' ' << shared_bytes << ' ' << threads << '\n';
      return 1;
    }
    std::cout << result.activeBlocksPerMultiprocessor << '\n';
  }
}
