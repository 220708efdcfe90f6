// A kernel that computes nothing: what launches cost by themselves.
#pragma once

#include "engine/cuda/device/target.hpp"

namespace regatta::engine::cuda {

void issue_empty(const Target& target);

}  // namespace regatta::engine::cuda
