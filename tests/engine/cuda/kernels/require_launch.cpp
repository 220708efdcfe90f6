// In place of the one in src/engine/cuda/device, which knows cuBLASLt too.
#include "engine/cuda/device/launch.hpp"
#include "regatta/base/error.hpp"

namespace regatta::engine::cuda {

void require_launch(const char* name, cudaError_t error) {
  if (error == cudaSuccess) return;
  throw DeviceError(std::string("kernel ") + name + ": " + cudaGetErrorString(error));
}

}  // namespace regatta::engine::cuda
