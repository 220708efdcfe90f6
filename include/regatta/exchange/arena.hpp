// Gradients of one rank in one piece of memory, in the order in which a backward pass makes them, cut into buckets.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace regatta::exchange {

/// Tensors travel together until a bucket holds so many bytes; the first one is small, so that the exchange begins
/// early (Li et al., PyTorch Distributed, VLDB 2020).
struct BucketSizes {
  std::uint64_t first_bytes = 1U << 20;
  std::uint64_t bytes = 25U << 20;  ///< 0: each tensor is a bucket
};

/// A range of the arena that is exchanged at once. Rank i sums elements [first + i * slice, first + (i + 1) * slice).
struct Bucket {
  std::size_t first = 0;  ///< element of the arena
  std::size_t count = 0;  ///< elements that are gradients; what follows up to ranks * slice is padding
  std::size_t slice = 0;  ///< elements; whole pages, so that each rank's can be mapped behind the other's
  bool operator==(const Bucket&) const = default;
};

struct Arena {
  std::size_t ranks = 1;
  std::size_t elements = 0;            ///< in all buckets, padding included
  std::vector<std::size_t> tensors;    ///< where each begins, in the order of their sizes; on whole lines of 64 bytes
  std::vector<std::size_t> bucket_of;  ///< the bucket that holds each tensor
  std::vector<Bucket> buckets;
  std::size_t awaited = 0;  ///< tensors in front that are waited for in the middle of a step: a bucket each
  /// Number of arrays that ranks show beside their sums, each for its own slices: the updated weights, then the
  /// optimizer's state. 0: all ranks update everything.
  std::size_t states = 0;
};

/// `tensor_elements` in the order in which they are ready; of those that are waited for in the middle of a step, which
/// come first, each is a bucket. Throws InternalError for no rank, or no tensor behind them.
Arena make_arena(std::span<const std::size_t> tensor_elements, const BucketSizes& sizes, std::size_t ranks,
                 std::size_t awaited = 0);

/// Bytes of the memory that a rank shares: gradients of all buckets, and for its own slices the sums and their states.
std::uint64_t shared_bytes(const Arena& arena);

}  // namespace regatta::exchange
