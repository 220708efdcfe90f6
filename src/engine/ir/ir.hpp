// A model lowered to a program: operations over buffers.
#pragma once

#include <initializer_list>

#include "engine/ir/program.hpp"

namespace regatta::engine {

// builder.cpp: Shared steps of lowering: making buffers and operations, and laying out the flat arenas.

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

// lower_network.cpp: A layered network as operations: forward, loss, gradients, updates.

/// For a batch whose mean loss is taken over so many samples, of which it is a part. Throws InputError naming the layer
/// that the engine lacks.
Program lower_network(const model::Network& network, const Settings& settings, std::int64_t averaged_samples);

// share_moments.cpp: Batch normalization of a part of a batch by the moments of all of it.

/// Each batch normalization of a training step becomes its sums, and operations that await those of all parts.
void share_moments(Program& program);

}  // namespace regatta::engine
