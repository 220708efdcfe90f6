// The memory of the batches made ahead: one slab, cut once.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

#include "regatta/data/loader.hpp"

namespace regatta::data {

/// Consecutive batches that one thread makes: handing over costs once for all of them.
struct Chunk {
  std::int64_t first_step = 0;  ///< counted from the beginning of the run
  std::vector<LoadedBatch> batches;
};

struct Slots {
  struct Free {
    void operator()(std::byte* bytes_of_slab) const { std::free(bytes_of_slab); }
  };
  std::unique_ptr<std::byte[], Free> slab;
  std::uint64_t bytes = 0;
  std::vector<Chunk> chunks;
};

/// Chunks that hold the batches made ahead: at least two. `batch_bytes`: of each field. Throws InputError if they take
/// more than `options.memory_bytes`.
Slots make_slots(const LoaderOptions& options, const std::vector<std::uint64_t>& batch_bytes);

}  // namespace regatta::data
