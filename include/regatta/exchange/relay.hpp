// Gradients of ranks on several nodes: each rank reads the others where they are if they share its memory, and in a
// mirror if they do not. The supervisor of a rank keeps its mirrors up to date. It moves bytes and adds nothing, so
// that sums have the bits that they have on one node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "regatta/base/ids.hpp"
#include "regatta/exchange/arena.hpp"

namespace regatta::exchange {

/// An exchange that is joined once. A chunk of another exchange is late, and is dropped.
struct RelayGroup {
  BlockIndex block;
  AttemptId attempt;
  ArmIndex arm;
  std::uint32_t join = 0;  ///< arms that are prepared again join again
  bool operator==(const RelayGroup&) const = default;
};

enum class ChunkKind : std::uint32_t { gradients, sums, weights, poison };

/// Travels as its bytes: both ends are of one build.
struct ChunkHeader {
  RelayGroup group;
  std::uint32_t from = 0;  ///< rank of the group
  ChunkKind kind = ChunkKind::gradients;
  std::uint32_t bucket = 0;
  std::uint32_t bytes = 0;   ///< number of bytes that follow
  std::uint64_t step = 0;    ///< from 1, as ranks count them; of weights the update
  std::uint64_t offset = 0;  ///< byte of the part that the chunk begins with
};

inline constexpr std::size_t most_chunk_bytes = std::size_t{1} << 20;

/// A chunk that came; valid until the next one is asked for.
struct Chunk {
  ChunkHeader header;
  std::span<const std::byte> bytes;
};

/// The transport of chunks between agents. No call waits.
struct RelayTransport {
  /// Copies the chunk and sends it. False: as much is on its way as there is room for. Poison is always taken.
  std::function<bool(AgentId to, const ChunkHeader&, std::span<const std::byte>)> send = {};
  std::function<std::optional<Chunk>()> receive = {};
  /// Whether all that was sent has left.
  std::function<bool()> flushed = {};
};

struct RelayRank {
  AgentId agent;            ///< the agent that supervises it
  std::string member = {};  ///< its Member's path
  bool is_remote = false;   ///< it cannot be opened here
};

/// One rank's view of a group that is spread over nodes, kept by its supervisor.
class Relay {
 public:
  /// `ranks` of the whole group; `own` is one that is here. Throws InternalError where memory for mirrors lacks, or the
  /// own rank's memory is not what it should be.
  Relay(const RelayGroup& group, std::size_t own, std::vector<RelayRank> ranks);
  Relay(const Relay&) = delete;
  Relay& operator=(const Relay&) = delete;
  ~Relay();

  /// Paths that the own rank is to open, in the order of ranks: mirrors for ranks on other nodes.
  [[nodiscard]] const std::vector<std::string>& members() const { return paths_; }

  /// Moves what can be moved now. Whether anything did.
  bool pump(const RelayTransport& transport);

  /// Whether all that the own rank has published has left.
  [[nodiscard]] bool is_sent(const RelayTransport& transport) const;

  /// Tells all other ranks that this one goes on no more.
  void poison(const RelayTransport& transport);

  /// The rank that told so first; nothing yet.
  [[nodiscard]] std::optional<std::uint32_t> poisoned_by() const { return poisoned_by_; }
  /// Why the exchange makes no sense any more; empty: it does.
  [[nodiscard]] const std::string& broken() const { return broken_; }

  /// Ranks elsewhere of which something lacks that the own rank waits for.
  [[nodiscard]] std::vector<std::uint32_t> missing() const;

 private:
  struct Part;
  struct Peer;

  void look();
  void queue(ChunkKind kind, std::size_t bucket, std::uint64_t step);
  bool send_next(const RelayTransport& transport);
  void take(const Chunk& chunk);
  void take_part(const Chunk& chunk);
  [[nodiscard]] Part part_of(std::size_t owner, ChunkKind kind, std::size_t bucket, std::size_t summed_by) const;

  struct Sending {
    AgentId to;
    ChunkHeader header;     ///< the next chunk's
    std::size_t at = 0;     ///< byte of the own rank's memory at which the part begins
    std::size_t bytes = 0;  ///< the whole part
  };

  RelayGroup group_;
  std::size_t own_;
  std::vector<RelayRank> ranks_;
  std::vector<std::string> paths_;
  struct Memory;
  std::unique_ptr<Memory> memory_;
  std::vector<std::unique_ptr<Peer>> peers_;  ///< by rank; nothing for those that are here
  std::deque<Sending> sending_;
  std::optional<std::uint32_t> poisoned_by_;
  std::string broken_;
};

}  // namespace regatta::exchange
