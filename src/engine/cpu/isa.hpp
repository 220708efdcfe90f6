// Which kernels this processor can run.
#pragma once

#include "engine/cpu/kernel_table.hpp"
#include "regatta/engine/session.hpp"

namespace regatta::engine::cpu {

/// Whether processor and operating system support the instruction set; `automatic` always.
bool supported(Isa isa);

/// The kernels of this instruction set; of the best supported one for `automatic`. Throws InputError
/// if it is not supported.
const KernelTable& kernels_for(Isa isa);

}  // namespace regatta::engine::cpu
