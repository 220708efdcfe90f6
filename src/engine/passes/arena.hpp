// Packs the temporaries of a step into one arena: buffers that never live together share bytes.
#pragma once

#include "engine/ir/program.hpp"

namespace regatta::engine {

struct ArenaPlan {
  std::int64_t bytes = 0;
  std::vector<std::int64_t> offsets;  ///< of each buffer; -1 for what is not in the arena
};

/// A temporary lives from the first to the last operation that names it. Largest buffers first, each
/// at the lowest offset where nothing that lives at the same time is in the way.
ArenaPlan pack_arena(const std::vector<Op>& ops, const std::vector<BufferSpec>& buffers);

}  // namespace regatta::engine
