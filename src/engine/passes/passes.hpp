// Passes that change or plan a program: fusion, row blocks, arena, the choice of kernels.
#pragma once

#include "engine/ir/program.hpp"
#include "regatta/engine/backend.hpp"
#include "regatta/engine/plan_info.hpp"

namespace regatta::engine {

// arena.cpp: Packs the temporaries of a step into one arena: buffers that never live together share bytes.

struct ArenaPlan {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> offsets;  ///< offset of each buffer; -1 for buffers outside the arena
};

/// A temporary lives from the first to the last operation that names it. Largest buffers first, each
/// at the lowest offset where nothing that lives at the same time is in the way.
ArenaPlan pack_arena(const std::vector<Op>& ops, const std::vector<BufferSpec>& buffers);

// choosing.cpp: The choice among several ways to compute a product: timed once when a session is built, kept in a file
// for the next one. All ways give the same bits, so eager, graph and every rank may share the choice or not.

/// Fills in KernelChoice of the program's operations, from PlanHints::choices_file where it knows them, else by timing
/// for at most about PlanHints::choosing_seconds, and tells `plan`. Operations without time for it keep the backend's
/// own.
void choose_kernels(Program& program, Backend& backend, PlanInfo& plan);

// fuse.cpp: Fusion: neighbouring operations become one. No sum is reordered, so the bits stay the same.

/// `ops` in the order of step_ops. Fused are bias and activation into the product before them, the
/// bias gradient into the weight gradient after it, an activation's derivative into the input
/// gradient before it, the parts of the loss, and updates that are neighbours in the flat arenas, but
/// for large ones (PlanHints::large_update_bytes).
std::vector<Op> fuse(const std::vector<Op>& ops, const std::vector<BufferSpec>& buffers, const PlanHints& hints);

// fuse_outer.cpp: Fusion of an outer product into the weight gradient that alone reads it: in front of a layer with a
// single unit the gradient of the data is a column times a row, and cheaper made twice than stored once.

/// After fuse, as far as PlanHints::outer_b_rows says: no sum is reordered, so the bits stay the same.
void fuse_outer_products(std::vector<Op>& ops, const std::vector<BufferSpec>& buffers, const PlanHints& hints);

// place_updates.cpp: Updates of large parameters move to where their gradients are made: a backend may then update
// each part while the gradient is still in a cache, instead of reading it again at the end of the step.

/// Whether an update of so many values is one of PlanHints::large_update_bytes.
bool is_large_update(std::int64_t count, const PlanHints& hints);

/// Moves each update of a large parameter directly behind the product that makes its gradient, where nobody reads the
/// parameter later in the step; an input gradient that does goes before the product.
void place_updates(std::vector<Op>& ops, const PlanHints& hints);

// row_blocks.cpp: A step of a small dense network, some rows of its batch at a time: what the layers leave for each
// other stays in the first-level cache. Sums over the batch go on from block to block where the backend would have
// cut them anyway, so no bit changes.

/// Takes the step of `batch` rows in blocks, where all of its operations allow it and it is worth it; else leaves `ops`
/// as they are. Adds the buffers of a block to `buffers`: temporaries of its size, and places inside those of
/// other roles, whose `offset` counts from the role's own buffer.
void take_in_row_blocks(std::vector<Op>& ops, std::vector<BufferSpec>& buffers, std::int64_t batch,
                        const PlanHints& hints);

// scratch.cpp: Scratch memory that a backend's kernels ask for, as temporaries of the operation itself.

/// Gives each operation that asks for scratch memory a buffer of its own at kScratch.
void add_scratch(std::vector<Op>& ops, std::vector<BufferSpec>& buffers, const Backend& backend);
void add_scratch(Program& program, const Backend& backend);

}  // namespace regatta::engine
