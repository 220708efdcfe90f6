// Where things stand in the memory of a member: a page or more of progress, its gradients, the slices that it sums, the
// states of them (Arena::states), and at the end the buckets, so that whoever has nothing but the memory knows where
// they are.
#pragma once

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "exchange/pages.hpp"
#include "regatta/exchange/arena.hpp"

namespace regatta::exchange {

/// How far a bucket is: the last step (from 1) whose gradients this rank has written, and whose slice it has summed;
/// and when, on the clock of its host (0: nobody knows), of even and of odd steps: no rank is two steps ahead of
/// another one. And how often it has shown new weights, which not every step makes. On a line of its own, which its
/// owner writes and all others read.
struct alignas(64) Progress {
  std::atomic<std::uint64_t> ready;
  std::atomic<std::uint64_t> summed;
  std::atomic<std::int64_t> ready_ns[2];
  std::atomic<std::int64_t> summed_ns[2];
  std::atomic<std::uint64_t> updated;
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The last bytes of the memory; the table of buckets is `buckets` long.
struct LayoutEnd {
  static constexpr std::uint64_t expected_mark = 0x5245474154415241;
  std::uint64_t mark = expected_mark;
  std::uint64_t ranks = 0;
  std::uint64_t buckets = 0;
  std::uint64_t states = 0;
};

struct MemberLayout {
  explicit MemberLayout(const Arena& arena) {
    progress_bytes = bytes_of_pages(arena.buckets.size() * sizeof(Progress));
    std::size_t at = progress_bytes + arena.elements * sizeof(float);
    for (const Bucket& bucket : arena.buckets) {
      slices.push_back(at);
      at += bucket.slice * sizeof(float);
    }
    slices_bytes = at - slices.front();
    at += arena.states * slices_bytes;
    buckets = at;
    bytes = bytes_of_pages(at + arena.buckets.size() * sizeof(Bucket) + sizeof(LayoutEnd));
  }

  /// Byte at which a state of this rank's slice of a bucket begins.
  [[nodiscard]] std::size_t state(std::size_t which, std::size_t bucket) const {
    return slices[bucket] + (1 + which) * slices_bytes;
  }

  std::size_t progress_bytes = 0;
  std::vector<std::size_t> slices;  ///< byte at which this rank's sums of each bucket begin
  std::size_t slices_bytes = 0;     ///< all its slices together; as many of each state
  std::size_t buckets = 0;          ///< byte at which the table of buckets begins
  std::size_t bytes = 0;
};

/// Elements of a bucket that a rank sums, without padding.
inline std::size_t part_elements(const Bucket& bucket, std::size_t rank) {
  const std::size_t begin = std::min(rank * bucket.slice, bucket.count);
  return std::min(bucket.slice, bucket.count - begin);
}

}  // namespace regatta::exchange
