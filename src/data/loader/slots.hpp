// The memory of the batches made ahead: one slab, cut once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "regatta/base/unique_fd.hpp"
#include "regatta/data/loader.hpp"

namespace regatta::data {

/// Consecutive batches that one thread makes: handing over costs once for all of them.
struct Chunk {
  std::int64_t first_step = 0;  ///< counted from the beginning of the run
  std::vector<LoadedBatch> batches;
};

struct Slots {
  std::shared_ptr<std::byte> slab;
  std::uint64_t bytes = 0;  ///< memory of all batches
  UniqueFd fd;              ///< where the slab is shared
  std::vector<Chunk> chunks;
};

/// The facts that another process needs to read shared slots.
SharedSlab shared_slab(const Slots& slots);

/// Chunks that hold the batches made ahead: at least two. `batch_bytes`: of each field. Throws InputError if they take
/// more than `options.memory_bytes`.
Slots make_slots(const LoaderOptions& options, const std::vector<std::uint64_t>& batch_bytes);

}  // namespace regatta::data
