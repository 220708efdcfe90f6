#include "data/loader/slots.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <new>
#include <numeric>

#include "regatta/base/error.hpp"
#include "regatta/base/shared_memory.hpp"
#include "regatta/base/units.hpp"

namespace regatta::data {
namespace {

constexpr std::uint64_t alignment_bytes = 64;
constexpr std::uint64_t usual_slab_bytes = std::uint64_t{4} << 20;
constexpr std::uint64_t near_cache_bytes = std::uint64_t{32} << 10;
constexpr std::int64_t least_depth = 4;
constexpr std::int64_t most_depth = 1024;

std::uint64_t aligned(std::uint64_t bytes, std::uint64_t alignment = alignment_bytes) {
  return (bytes + alignment - 1) / alignment * alignment;
}

/// As many as fit into what is usual, or into the memory that is allowed.
std::int64_t depth_of(const LoaderOptions& options, std::uint64_t slot_bytes) {
  const auto fitting = static_cast<std::int64_t>(options.memory_bytes / slot_bytes);
  const auto usual = std::clamp(static_cast<std::int64_t>(usual_slab_bytes / slot_bytes), least_depth, most_depth);
  const std::int64_t depth = options.depth == 0 ? std::min(usual, fitting) : std::max<std::int64_t>(options.depth, 2);
  if (depth >= 2 && depth <= fitting) return depth;
  throw InputError(
      fmt::format("{} batches of {} take {} (the limit is {}, and one is made while another is read). Use smaller "
                  "batches, fewer of them or more memory",
                  std::max<std::int64_t>(depth, 2), format_size(slot_bytes),
                  format_size(slot_bytes * static_cast<std::uint64_t>(std::max<std::int64_t>(depth, 2))),
                  format_size(options.memory_bytes)));
}

/// One for each thread, one that is read, and the next one. Without threads a chunk is what the nearest cache holds.
std::int64_t chunk_count(const LoaderOptions& options, std::int64_t depth, std::uint64_t slot_bytes) {
  if (options.threads == 0) {
    const auto each = std::max<std::int64_t>(static_cast<std::int64_t>(near_cache_bytes / slot_bytes), 1);
    return std::max<std::int64_t>(depth / each, 2);
  }
  auto count = std::clamp<std::int64_t>(options.threads + 2, 2, depth);
  while (options.depth != 0 && depth % count != 0) ++count;  // the depth that is asked for is made of whole chunks
  return count;
}

std::shared_ptr<std::byte> private_memory(std::uint64_t bytes) {
  auto* const memory = static_cast<std::byte*>(std::aligned_alloc(alignment_bytes, bytes));
  if (memory == nullptr) throw std::bad_alloc();
  return {memory, [](std::byte* at) { std::free(at); }};
}

/// Where the page behind the batches begins.
std::uint64_t page_offset(const Slots& slots) { return aligned(slots.bytes, shared_page_bytes); }

}  // namespace

Slots make_slots(const LoaderOptions& options, const std::vector<std::uint64_t>& batch_bytes) {
  std::uint64_t slot_bytes = 0;
  for (const std::uint64_t bytes : batch_bytes) slot_bytes += aligned(bytes);
  const std::int64_t wanted = depth_of(options, slot_bytes);
  const std::int64_t count = chunk_count(options, wanted, slot_bytes);
  const std::int64_t each = wanted / count;

  Slots slots;
  slots.bytes = slot_bytes * static_cast<std::uint64_t>(count * each);
  if (options.is_shared) {
    const std::uint64_t all = page_offset(slots) + shared_page_bytes;
    slots.fd = make_shared_memory("regatta-batches", all);
    keep_size(slots.fd);
    slots.slab = map_shared(slots.fd.get(), all, PROT_READ | PROT_WRITE);
  } else {
    slots.slab = private_memory(slots.bytes);
  }
  std::byte* at = slots.slab.get();
  slots.chunks.resize(static_cast<std::size_t>(count));
  for (Chunk& chunk : slots.chunks) {
    chunk.batches.resize(static_cast<std::size_t>(each));
    for (LoadedBatch& batch : chunk.batches) {
      for (const std::uint64_t bytes : batch_bytes) {
        batch.fields.push_back(at);
        at += aligned(bytes);
      }
    }
  }
  return slots;
}

SharedSlab shared_slab(const Slots& slots) {
  expect(static_cast<bool>(slots.fd), "slots that were made to be shared");
  SharedSlab shared;
  shared.fd = slots.fd.get();
  shared.bytes = page_offset(slots) + shared_page_bytes;
  shared.batch_bytes = slots.bytes / (slots.chunks.size() * slots.chunks.front().batches.size());
  for (const std::byte* field : slots.chunks.front().batches.front().fields)
    shared.field_offsets.push_back(static_cast<std::uint64_t>(field - slots.slab.get()));
  shared.page_offset = page_offset(slots);
  shared.page = slots.slab.get() + shared.page_offset;
  return shared;
}

}  // namespace regatta::data
