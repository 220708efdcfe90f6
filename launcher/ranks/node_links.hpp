// How fast chunks of gradients pass between the nodes of a job, pair by pair, and how far their clocks are apart.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace regatta::launcher {

/// Sent each way in a round, of exchange::most_chunk_bytes: 1 MiB.
inline constexpr int link_chunks = 32;

/// One round of a pair: both directions one after the other, in chunks as trials of several ranks send them.
struct LinkRound {
  double round_trip_seconds = 0;      ///< round trip of an empty chunk: the shortest of many
  double there_bytes_per_second = 0;  ///< from the first node of the pair to the second
  double back_bytes_per_second = 0;
  double clock_seconds = 0;  ///< wall clock of the second less that of the first, half a round trip at most off
};

struct NodeOfJob {
  std::int64_t rank = 0;  ///< the lowest on it, which measures
  std::string host;
  std::string kernel;  ///< boot id: nodes of one kernel have one clock
};

struct NodeLink {
  std::size_t a = 0;  ///< in NodeLinks::nodes
  std::size_t b = 0;
  std::vector<LinkRound> rounds;
};

struct NodeLinks {
  std::vector<NodeOfJob> nodes;
  std::vector<NodeLink> links;
  bool is_told_here = true;  ///< by this rank, for all of them
};

/// How far clocks are apart: the round with the shortest trip tells best.
struct ClockOffset {
  double seconds = 0;
  double error_seconds = 0;  ///< at most
};
ClockOffset clock_offset(const NodeLink& link);

/// In a job that mpirun or srun has started: all its ranks call it, and each is told all of it. Nodes are what ranks
/// share no memory between (docs/guide/data-parallel.md); pairs are measured one after the other, while all other ranks
/// sleep. Throws PeerLost where a node does not answer for 10 s.
NodeLinks measure_node_links(int rounds);

}  // namespace regatta::launcher
