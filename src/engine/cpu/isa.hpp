// Which kernels this processor can run.
#pragma once

#include "engine/cpu/kernels/kernel_table.hpp"
#include "regatta/engine/cpu_backend.hpp"

namespace regatta::engine::cpu {

/// Whether processor and operating system support the instruction set; `automatic` always.
bool supported(Isa isa);

/// Whether processor and operating system have tile registers that multiply bf16; asks the system for their use.
bool supports_tiles();

/// The kernels of this instruction set; of the best supported one for `automatic`. Throws InputError
/// if it is not supported.
const KernelTable& kernels_for(Isa isa, Precision precision = Precision::fp32);

}  // namespace regatta::engine::cpu
