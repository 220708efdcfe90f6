// The backend of ordinary processors: shares the caller's memory, runs calls one after the other.
#pragma once

#include <memory>

#include "regatta/engine/backend.hpp"
#include "regatta/engine/settings.hpp"

namespace regatta::engine::cpu {

/// With threads > 1 the large calls are split among a oneTBB arena of that size. Throws InputError if
/// this processor lacks the instruction set, or tile registers for bf16. `empty_kernels`: calls are chosen, bound and
/// issued, and compute nothing.
std::unique_ptr<Backend> make_backend(KernelSet kernels, Isa isa, int threads, bool empty_kernels = false,
                                      Precision precision = Precision::fp32);

}  // namespace regatta::engine::cpu
