// How a dropout's kernel is told of it.
#pragma once

#include "engine/cuda/device/target.hpp"
#include "engine/cuda/kernels/dropout.cuh"

namespace regatta::engine::cuda {

DropElements elements_of(const Dropout& op, const Memory& memory);

}  // namespace regatta::engine::cuda
