#include "regatta/exchange/arena.hpp"

#include "exchange/pages.hpp"
#include "regatta/base/error.hpp"

namespace regatta::exchange {
namespace {

constexpr std::size_t floats_of_a_line = 16;

/// So that what reads a tensor begins on a line of the cache, wherever the tensor lies.
std::size_t on_whole_lines(std::size_t floats) {
  return (floats + floats_of_a_line - 1) / floats_of_a_line * floats_of_a_line;
}

/// `end` of its last tensor.
void close(Arena& arena, std::size_t end) {
  Bucket& bucket = arena.buckets.back();
  bucket.count = end - bucket.first;
  bucket.slice = in_whole_pages((bucket.count + arena.ranks - 1) / arena.ranks);
  arena.elements = bucket.first + arena.ranks * bucket.slice;
}

}  // namespace

Arena make_arena(std::span<const std::size_t> tensor_elements, const BucketSizes& sizes, std::size_t ranks,
                 std::size_t awaited) {
  expect(ranks > 0, "gradients are exchanged by somebody");
  expect(tensor_elements.size() > awaited, "there are gradients");
  Arena arena;
  arena.ranks = ranks;
  arena.awaited = awaited;
  std::uint64_t room = 0;  // room that the open bucket still has
  std::size_t end = 0;     // where the last tensor ends
  for (std::size_t tensor = 0; tensor < tensor_elements.size(); ++tensor) {
    const std::uint64_t bytes = tensor_elements[tensor] * sizeof(float);
    if (tensor <= awaited || bytes > room) {
      if (!arena.buckets.empty()) close(arena, end);
      arena.buckets.push_back({arena.elements, 0, 0});
      room = tensor == awaited && sizes.bytes > 0 ? sizes.first_bytes : sizes.bytes;
    }
    room -= bytes < room ? bytes : room;
    arena.tensors.push_back(arena.elements);
    arena.bucket_of.push_back(arena.buckets.size() - 1);
    end = arena.elements + tensor_elements[tensor];
    arena.elements += on_whole_lines(tensor_elements[tensor]);
  }
  close(arena, end);
  return arena;
}

std::uint64_t shared_bytes(const Arena& arena) {
  const std::size_t own_slices = arena.elements / arena.ranks;  // padding included
  return (arena.elements + (1 + arena.states) * own_slices) * sizeof(float);
}

}  // namespace regatta::exchange
