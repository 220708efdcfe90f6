// The objects that plans are built and tried with.
#pragma once

#include "engine/cuda/convolutions/library.hpp"
#include "engine/cuda/convolutions/settings.hpp"
#include "engine/cuda/device/memory_source.hpp"
#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

/// The handle issues into the target's stream.
struct PlanWorkshop {
  const CudnnLibrary& library;
  cudnnHandle_t handle;
  const ConvolutionSettings& settings;
  const Target& target;
  const DeviceMemorySource& memory;
};

}  // namespace regatta::engine::cuda
