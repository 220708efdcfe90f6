#include "regatta/exchange/arena.hpp"

#include "exchange/pages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::exchange {
namespace {

void close(Arena& arena) {
  Bucket& bucket = arena.buckets.back();
  bucket.count = arena.elements - bucket.first;
  bucket.slice = in_whole_pages((bucket.count + arena.ranks - 1) / arena.ranks);
  arena.elements = bucket.first + arena.ranks * bucket.slice;
}

}  // namespace

Arena make_arena(std::span<const std::size_t> tensor_elements, const BucketSizes& sizes, std::size_t ranks) {
  expect(ranks > 0, "gradients are exchanged by somebody");
  expect(!tensor_elements.empty(), "there are gradients");
  Arena arena;
  arena.ranks = ranks;
  std::uint64_t room = 0;  // that the open bucket still has
  for (const std::size_t elements : tensor_elements) {
    const std::uint64_t bytes = elements * sizeof(float);
    const bool is_first = arena.buckets.empty();
    if (is_first || bytes > room) {
      if (!is_first) close(arena);
      arena.buckets.push_back({arena.elements, 0, 0});
      room = is_first && sizes.bytes > 0 ? sizes.first_bytes : sizes.bytes;
    }
    room -= bytes < room ? bytes : room;
    arena.tensors.push_back(arena.elements);
    arena.bucket_of.push_back(arena.buckets.size() - 1);
    arena.elements += elements;
  }
  close(arena);
  return arena;
}

}  // namespace regatta::exchange
