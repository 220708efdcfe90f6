#include "exchange/mirror.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <cstring>

#include "regatta/base/error.hpp"
#include "regatta/base/shared_memory.hpp"

namespace regatta::exchange {
namespace {

[[noreturn]] void refuse(std::uint64_t bytes) {
  throw InternalError(
      fmt::format("{} bytes of shared memory are no rank's gradients (their table of buckets does not fit)", bytes));
}

/// Takes the memory of a range now: a node that has none left must not find out in the middle of a step.
void take(int fd, std::size_t at, std::size_t bytes) {
  if (bytes == 0) return;
  const int problem = ::posix_fallocate(fd, static_cast<off_t>(at), static_cast<off_t>(bytes));
  if (problem != 0) throw InternalError(errno_text("allocate memory for gradients of another node", problem));
}

bool follows(const Bucket& bucket, std::size_t first, std::size_t ranks, std::size_t most) {
  return bucket.first == first && bucket.slice > 0 && bucket.slice == in_whole_pages(bucket.slice) &&
         bucket.slice <= most / ranks && bucket.count <= ranks * bucket.slice;
}

}  // namespace

void describe(const Arena& arena, const MemberLayout& layout, std::byte* memory) {
  std::memcpy(memory + layout.buckets, arena.buckets.data(), arena.buckets.size() * sizeof(Bucket));
  LayoutEnd end;
  end.ranks = arena.ranks;
  end.buckets = arena.buckets.size();
  end.states = arena.states;
  std::memcpy(memory + layout.bytes - sizeof end, &end, sizeof end);
}

Arena arena_of_member(int fd) {
  const std::uint64_t bytes = shared_memory_bytes(fd);
  if (bytes < page_bytes) refuse(bytes);
  const std::shared_ptr<std::byte> memory = map_shared(fd, bytes, PROT_READ);
  LayoutEnd end;
  std::memcpy(&end, memory.get() + bytes - sizeof end, sizeof end);
  if (end.mark != LayoutEnd::expected_mark || end.ranks == 0 || end.buckets == 0 ||
      end.buckets > (bytes - sizeof end) / sizeof(Bucket) || end.states > bytes)
    refuse(bytes);
  Arena arena;
  arena.ranks = end.ranks;
  arena.states = end.states;
  arena.buckets.resize(end.buckets);
  const std::size_t table_bytes = end.buckets * sizeof(Bucket);
  const std::size_t from_end = bytes_of_pages(table_bytes + sizeof end);
  if (from_end > bytes) refuse(bytes);
  std::memcpy(arena.buckets.data(), memory.get() + (bytes - from_end), table_bytes);
  for (const Bucket& bucket : arena.buckets) {
    if (!follows(bucket, arena.elements, arena.ranks, bytes)) refuse(bytes);
    arena.elements += arena.ranks * bucket.slice;
  }
  if (MemberLayout(arena).bytes != bytes) refuse(bytes);
  return arena;
}

Mirror::Mirror(const Arena& arena, std::size_t reader) {
  const MemberLayout layout(arena);
  fd_ = make_shared_memory("regatta-mirror", layout.bytes);
  take(fd_.get(), 0, layout.progress_bytes);
  for (const Bucket& bucket : arena.buckets)
    take(fd_.get(), layout.progress_bytes + (bucket.first + reader * bucket.slice) * sizeof(float),
         bucket.slice * sizeof(float));
  take(fd_.get(), layout.slices.front(), layout.bytes - layout.slices.front());
  memory_ = map_shared(fd_.get(), layout.bytes, PROT_READ | PROT_WRITE);
  describe(arena, layout, memory_.get());
  keep_size_and_writer(fd_);
}

std::string Mirror::path() const { return path_of_descriptor(fd_.get()); }

}  // namespace regatta::exchange
