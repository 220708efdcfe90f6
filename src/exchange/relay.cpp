#include "regatta/exchange/relay.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <type_traits>
#include <utility>

#include "exchange/member_layout.hpp"
#include "exchange/mirror.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/shared_memory.hpp"

namespace regatta::exchange {
namespace {

static_assert(std::is_trivially_copyable_v<ChunkHeader>);

constexpr std::array published = {ChunkKind::gradients, ChunkKind::sums, ChunkKind::weights};

constexpr std::size_t most_received_at_once = 64;  // a fast sender must not keep this rank's own chunks back

Progress& progress(std::byte* memory, std::size_t bucket) { return reinterpret_cast<Progress*>(memory)[bucket]; }

std::atomic<std::uint64_t>& word_of(std::byte* memory, ChunkKind kind, std::size_t bucket) {
  Progress& words = progress(memory, bucket);
  if (kind == ChunkKind::weights) return words.updated;
  return kind == ChunkKind::gradients ? words.ready : words.summed;
}

}  // namespace

/// A piece of a member's memory that travels as a whole.
struct Relay::Part {
  std::size_t at = 0;
  std::size_t bytes = 0;
};

struct Relay::Memory {
  explicit Memory(UniqueFd member)
      : arena(arena_of_member(member.get())), layout(arena), own(map_shared(member.get(), layout.bytes, PROT_READ)) {
    for (auto& each : seen_steps) each.assign(arena.buckets.size(), 0);
  }

  std::vector<std::uint64_t>& seen(ChunkKind kind) { return seen_steps[static_cast<std::size_t>(kind)]; }

  Arena arena;
  MemberLayout layout;
  std::array<std::vector<std::uint64_t>, published.size()> seen_steps;  ///< by bucket: queued last
  std::shared_ptr<std::byte> own;                                       ///< to read
};

/// A rank elsewhere.
struct Relay::Peer {
  Peer(const Arena& arena, std::size_t reader) : mirror(arena, reader) {
    for (auto& each : came) each.assign(arena.buckets.size(), 0);
  }
  std::uint64_t& bytes_of(ChunkKind kind, std::size_t bucket) { return came[static_cast<std::size_t>(kind)][bucket]; }
  Mirror mirror;
  std::array<std::vector<std::uint64_t>, published.size()> came;  ///< bytes of each bucket's next step
};

Relay::Relay(const RelayGroup& group, std::size_t own, std::vector<RelayRank> ranks)
    : group_(group), own_(own), ranks_(std::move(ranks)) {
  expect(own_ < ranks_.size() && !ranks_[own_].is_remote, "a relay serves a rank that is here");
  memory_ = std::make_unique<Memory>(open_shared_memory(ranks_[own_].member, O_RDONLY));
  expect(memory_->arena.ranks == ranks_.size(), "each rank of the group is named");
  for (const RelayRank& rank : ranks_) {
    peers_.push_back(rank.is_remote ? std::make_unique<Peer>(memory_->arena, own_) : nullptr);
    paths_.push_back(rank.is_remote ? peers_.back()->mirror.path() : rank.member);
  }
}

Relay::~Relay() = default;

/// `summed_by` matters for gradients alone: the part that this rank sums.
Relay::Part Relay::part_of(std::size_t owner, ChunkKind kind, std::size_t bucket, std::size_t summed_by) const {
  const Bucket& place = memory_->arena.buckets[bucket];
  const MemberLayout& layout = memory_->layout;
  const std::size_t own_bytes = part_elements(place, owner) * sizeof(float);
  if (kind == ChunkKind::sums) return {layout.slices[bucket], own_bytes};
  if (kind == ChunkKind::weights) return {layout.state(0, bucket), own_bytes};
  return {layout.progress_bytes + (place.first + summed_by * place.slice) * sizeof(float),
          part_elements(place, summed_by) * sizeof(float)};
}

bool Relay::pump(const RelayTransport& transport) {
  bool moved = false;
  for (std::size_t i = 0; i < most_received_at_once; ++i) {
    const std::optional<Chunk> chunk = transport.receive();
    if (!chunk) break;
    take(*chunk);
    moved = true;
  }
  if (poisoned_by_ || !broken_.empty()) {
    sending_.clear();
    return moved;
  }
  look();
  while (!sending_.empty() && send_next(transport)) moved = true;
  return moved;
}

/// A rank goes one step on in a bucket only after all others had what it has published of it, so that nothing is
/// written over while it is sent.
void Relay::look() {
  for (const ChunkKind kind : published) {
    for (std::size_t bucket = 0; bucket < memory_->arena.buckets.size(); ++bucket) {
      std::uint64_t& seen = memory_->seen(kind)[bucket];
      const std::uint64_t now = word_of(memory_->own.get(), kind, bucket).load(std::memory_order_acquire);
      if (now == seen) continue;
      if (now != seen + 1)
        broken_ = fmt::format("rank {} is at step {} of bucket {} after step {} (it does not wait for the others)",
                              own_, now, bucket, seen);
      seen = now;
      queue(kind, bucket, now);
    }
  }
}

void Relay::queue(ChunkKind kind, std::size_t bucket, std::uint64_t step) {
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (!ranks_[rank].is_remote) continue;
    const Part part = part_of(own_, kind, bucket, rank);
    ChunkHeader header{group_, static_cast<std::uint32_t>(own_), kind, static_cast<std::uint32_t>(bucket), 0, step, 0};
    sending_.push_back({ranks_[rank].agent, header, part.at, part.bytes});
  }
}

/// A part without elements is one empty chunk: its word counts.
bool Relay::send_next(const RelayTransport& transport) {
  Sending& next = sending_.front();
  ChunkHeader& header = next.header;
  const std::size_t bytes = std::min(most_chunk_bytes, next.bytes - header.offset);
  header.bytes = static_cast<std::uint32_t>(bytes);
  if (!transport.send(next.to, header, {memory_->own.get() + next.at + header.offset, bytes})) return false;
  header.offset += bytes;
  if (header.offset == next.bytes) sending_.pop_front();
  return true;
}

void Relay::take(const Chunk& chunk) {
  const ChunkHeader& header = chunk.header;
  if (header.group != group_ || header.from >= ranks_.size() || header.from == own_) return;
  if (header.kind == ChunkKind::poison) {
    if (!poisoned_by_) poisoned_by_ = header.from;
    return;
  }
  if (broken_.empty()) take_part(chunk);
}

void Relay::take_part(const Chunk& chunk) {
  const ChunkHeader& header = chunk.header;
  Peer* const peer = peers_[header.from].get();
  const bool is_known = header.kind != ChunkKind::weights || memory_->arena.states > 0;
  if (peer == nullptr || !is_known || header.bucket >= memory_->arena.buckets.size() ||
      header.bytes != chunk.bytes.size()) {
    broken_ = fmt::format("rank {} sent what no rank of this group sends", header.from);
    return;
  }
  const Part part = part_of(header.from, header.kind, header.bucket, own_);
  std::atomic<std::uint64_t>& word = word_of(peer->mirror.memory(), header.kind, header.bucket);
  std::uint64_t& came = peer->bytes_of(header.kind, header.bucket);
  const std::uint64_t due = word.load(std::memory_order_relaxed) + 1;
  if (header.step != due || header.offset > part.bytes || header.bytes > part.bytes - header.offset ||
      came + header.bytes > part.bytes) {
    broken_ = fmt::format(
        "rank {} sent {} bytes from {} on of step {} of bucket {}, where {} of {} bytes of step {} "
        "had come",
        header.from, header.bytes, header.offset, header.step, header.bucket, came, part.bytes, due);
    return;
  }
  if (header.bytes > 0) std::memcpy(peer->mirror.memory() + part.at + header.offset, chunk.bytes.data(), header.bytes);
  came += header.bytes;
  if (came < part.bytes) return;
  came = 0;
  word.store(header.step, std::memory_order_release);
}

bool Relay::is_sent(const RelayTransport& transport) const {
  const auto all_seen = [&](ChunkKind kind) {
    const std::vector<std::uint64_t>& seen = memory_->seen(kind);
    for (std::size_t bucket = 0; bucket < seen.size(); ++bucket) {
      if (word_of(memory_->own.get(), kind, bucket).load(std::memory_order_acquire) != seen[bucket]) return false;
    }
    return true;
  };
  return sending_.empty() && std::ranges::all_of(published, all_seen) && transport.flushed();
}

void Relay::poison(const RelayTransport& transport) {
  sending_.clear();
  ChunkHeader header{group_, static_cast<std::uint32_t>(own_), ChunkKind::poison, 0, 0, 0, 0};
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (rank != own_) transport.send(ranks_[rank].agent, header, {});
  }
}

std::vector<std::uint32_t> Relay::missing() const {
  std::vector<std::uint32_t> ranks;
  for (std::size_t rank = 0; rank < ranks_.size(); ++rank) {
    if (peers_[rank] == nullptr) continue;
    std::byte* const mirror = peers_[rank]->mirror.memory();
    bool lacks = false;
    for (std::size_t bucket = 0; bucket < memory_->arena.buckets.size(); ++bucket) {
      for (const ChunkKind kind : published) {
        const ChunkKind of_own = kind == ChunkKind::weights ? kind : ChunkKind::gradients;
        lacks = lacks || word_of(mirror, kind, bucket).load(std::memory_order_relaxed) < memory_->seen(of_own)[bucket];
      }
    }
    if (lacks) ranks.push_back(static_cast<std::uint32_t>(rank));
  }
  return ranks;
}

}  // namespace regatta::exchange
