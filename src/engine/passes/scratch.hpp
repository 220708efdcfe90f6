// Scratch memory that a backend's kernels ask for, as temporaries of the operation itself.
#pragma once

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"

namespace regatta::engine {

/// Gives each operation that asks for scratch memory a buffer of its own at kScratch.
void add_scratch(std::vector<Op>& ops, std::vector<BufferSpec>& buffers, const Backend& backend);
void add_scratch(Program& program, const Backend& backend);

}  // namespace regatta::engine
