// Where things stand in the memory of a member: a page or more of progress, its gradients, the slices that it sums.
#pragma once

#include <atomic>
#include <cstdint>

#include "exchange/pages.hpp"
#include "regatta/exchange/arena.hpp"

namespace regatta::exchange {

/// How far a bucket is: the last step (from 1) whose gradients this rank has written, and whose slice it has summed;
/// and when, on the clock of its host (0: nobody knows), of even and of odd steps: no rank is two steps ahead of
/// another one. On a line of its own, which its owner writes and all others read.
struct alignas(64) Progress {
  std::atomic<std::uint64_t> ready;
  std::atomic<std::uint64_t> summed;
  std::atomic<std::int64_t> ready_ns[2];
  std::atomic<std::int64_t> summed_ns[2];
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

struct MemberLayout {
  explicit MemberLayout(const Arena& arena) {
    progress_bytes = bytes_of_pages(arena.buckets.size() * sizeof(Progress));
    std::size_t at = progress_bytes + arena.elements * sizeof(float);
    for (const Bucket& bucket : arena.buckets) {
      slices.push_back(at);
      at += bucket.slice * sizeof(float);
    }
    bytes = at;
  }

  std::size_t progress_bytes = 0;
  std::vector<std::size_t> slices;  ///< byte at which this rank's sums of each bucket begin
  std::size_t bytes = 0;
};

}  // namespace regatta::exchange
