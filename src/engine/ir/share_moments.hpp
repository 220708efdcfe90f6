// Batch normalization of a part of a batch by the moments of all of it.
#pragma once

#include "engine/ir/program.hpp"

namespace regatta::engine {

/// Each batch normalization of a training step becomes its sums, and operations that await those of all parts.
void share_moments(Program& program);

}  // namespace regatta::engine
