// A kernel that computes nothing.
#pragma once

#include "engine/cuda/device/device.cuh"

namespace regatta::engine::cuda {

__global__ void empty() { device::begin(); }

}  // namespace regatta::engine::cuda
