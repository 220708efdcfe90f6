// Shared steps of lowering: making buffers and operations, and laying out the flat arenas.
#pragma once

#include <initializer_list>

#include "engine/ir/program.hpp"

namespace regatta::engine {

/// `bytes` rounded up to whole cache lines.
constexpr std::int64_t aligned(std::int64_t bytes) { return (bytes + kAlignment - 1) / kAlignment * kAlignment; }

/// Product of sizes. Throws std::bad_alloc where a tensor of that many floats cannot exist.
std::int64_t checked_product(std::initializer_list<std::int64_t> sizes);

BufferIndex add_buffer(Program& program, Role role, std::int64_t elements);

/// The buffer of this role, made on first use.
BufferIndex shared_buffer(Program& program, Role role, std::int64_t bytes);

Op make_op(OpSpec spec, std::initializer_list<BufferIndex> operands);

/// Adds parameters with their gradients. Flat arenas hold them in reverse order, so that the
/// gradients, which backward yields from the last layer on, become complete from the front.
void add_parameters(Program& program, const model::Network& network);

/// One update for each parameter, in the order of the arena; before them what Settings wants done to all gradients.
void add_updates(Program& program, const model::Optimizer& optimizer, const Settings& settings);

}  // namespace regatta::engine
