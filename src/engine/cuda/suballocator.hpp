// Pieces of one block of memory: where each begins. Knows offsets only.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

namespace regatta::engine::cuda {

class Suballocator {
 public:
  /// Offsets and sizes are multiples of `alignment` bytes.
  Suballocator(std::int64_t bytes, std::int64_t alignment);

  /// Offset of a piece in the smallest gap that holds it; none if no gap does.
  std::optional<std::int64_t> take(std::int64_t bytes);

  /// Gives back what take() gave. Throws InternalError for another offset.
  void give(std::int64_t offset);

 private:
  std::int64_t alignment_;
  std::map<std::int64_t, std::int64_t> gaps_;   ///< offset, bytes; no two touch
  std::map<std::int64_t, std::int64_t> taken_;  ///< offset, bytes
};

}  // namespace regatta::engine::cuda
