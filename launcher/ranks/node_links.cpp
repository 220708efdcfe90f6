#include "ranks/node_links.hpp"

#include <fmt/format.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "host/host.hpp"
#include "ranks/mpi_link.hpp"
#include "ranks/ranks.hpp"
#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/own_paths.hpp"

namespace regatta::launcher {
namespace {

using exchange::Chunk;
using exchange::ChunkHeader;
using exchange::ChunkKind;

constexpr double patience_seconds = 10;
constexpr int trips = 200;

double idle_chores() { return 1.0; }

/// One end of a pair. Both know what comes next, so that a chunk needs no name. Several that are on their way at once
/// may come in another order.
class End {
 public:
  End(MpiRelay& relay, std::int64_t other)
      : transport_(relay.transport()), other_{static_cast<std::uint32_t>(other)}, bytes_(exchange::most_chunk_bytes) {}

  void send(std::size_t bytes = 0, double told = 0) {
    ChunkHeader header;
    header.bytes = static_cast<std::uint32_t>(bytes);
    header.offset = std::bit_cast<std::uint64_t>(told);
    const Deadline deadline = Deadline::after(patience_seconds);
    while (!transport_.send(other_, header, {bytes_.data(), bytes})) pause(deadline);
  }

  /// Waits for a chunk; returns the number that the other end sent with it.
  double receive() {
    const Deadline deadline = Deadline::after(patience_seconds);
    std::optional<Chunk> chunk = transport_.receive();
    for (; !chunk; chunk = transport_.receive()) pause(deadline);
    return std::bit_cast<double>(chunk->header.offset);
  }

  void send_all() {
    for (int i = 0; i < link_chunks; ++i) send(bytes_.size());
  }
  void receive_all() {
    for (int i = 0; i < link_chunks; ++i) receive();
  }

 private:
  void pause(const Deadline& deadline) const {
    if (deadline.passed())
      throw PeerLost(
          fmt::format("rank {} does not answer for {} s (it is gone, or the network between the nodes is "
                      "cut); start the job again",
                      other_.value, patience_seconds));
    ::sched_yield();
  }

  exchange::RelayTransport transport_;
  AgentId other_;
  std::vector<std::byte> bytes_;
};

/// The first end, which has the clock.
LinkRound measured(End& end) {
  LinkRound round;
  round.round_trip_seconds = std::numeric_limits<double>::infinity();
  for (int i = 0; i < trips; ++i) {
    const double begin_wall_seconds = wall_seconds();
    const double begin = steady_seconds();
    end.send();
    const double there_wall_seconds = end.receive();
    const double trip_seconds = steady_seconds() - begin;
    if (trip_seconds >= round.round_trip_seconds) continue;
    round.round_trip_seconds = trip_seconds;
    round.clock_seconds = there_wall_seconds - (begin_wall_seconds + trip_seconds / 2);
  }
  constexpr double bytes = double{link_chunks} * exchange::most_chunk_bytes;
  double begin = steady_seconds();
  end.send_all();
  end.receive();  // the other end has all of it
  round.there_bytes_per_second = bytes / (steady_seconds() - begin);
  begin = steady_seconds();
  end.send();  // it may begin
  end.receive_all();
  round.back_bytes_per_second = bytes / (steady_seconds() - begin);
  return round;
}

void answer(End& end) {
  for (int i = 0; i < trips; ++i) {
    end.receive();
    end.send(0, wall_seconds());
  }
  end.receive_all();
  end.send();
  end.receive();
  end.send_all();
}

/// The nodes of the job by their lowest ranks.
std::vector<NodeOfJob> nodes_of(const MpiSession& session) {
  const nlohmann::json own = {memory_domain(session.host()), host_name(),
                              first_line("/proc/sys/kernel/random/boot_id")};
  std::vector<NodeOfJob> nodes;
  std::vector<std::string> domains;
  const std::vector<std::string> told = session.gather(own.dump(), idle_chores);
  for (std::size_t rank = 0; rank < told.size(); ++rank) {
    const auto texts = nlohmann::json::parse(told[rank]).get<std::array<std::string, 3>>();
    if (std::ranges::find(domains, texts[0]) != domains.end()) continue;
    domains.push_back(texts[0]);
    nodes.push_back({static_cast<std::int64_t>(rank), texts[1], texts[2]});
  }
  return nodes;
}

std::string to_text(const std::vector<LinkRound>& rounds) {
  nlohmann::json text = nlohmann::json::array();
  for (const LinkRound& round : rounds)
    text.push_back(
        {round.round_trip_seconds, round.there_bytes_per_second, round.back_bytes_per_second, round.clock_seconds});
  return text.dump();
}

std::vector<LinkRound> rounds_from(const std::string& text) {
  std::vector<LinkRound> rounds;
  for (const auto& each : nlohmann::json::parse(text)) {
    const auto numbers = each.get<std::array<double, 4>>();
    rounds.push_back({numbers[0], numbers[1], numbers[2], numbers[3]});
  }
  return rounds;
}

/// All ranks meet behind it: what the first end has measured goes to everybody.
std::vector<LinkRound> measured_pair(const MpiSession& session, MpiRelay& relay, std::int64_t a, std::int64_t b,
                                     int rounds) {
  std::vector<LinkRound> found;
  for (int round = 0; round < rounds; ++round) {
    if (session.rank() == a) {
      End end(relay, b);
      found.push_back(measured(end));
    } else if (session.rank() == b) {
      End end(relay, a);
      answer(end);
    }
  }
  return rounds_from(session.gather(to_text(found), idle_chores).at(static_cast<std::size_t>(a)));
}

}  // namespace

ClockOffset clock_offset(const NodeLink& link) {
  const auto best = std::ranges::min_element(link.rounds, {}, &LinkRound::round_trip_seconds);
  return {best->clock_seconds, best->round_trip_seconds / 2};
}

NodeLinks measure_node_links(int rounds) {
  const MpiSession session;
  MpiRelay relay(session);
  NodeLinks found{nodes_of(session), {}, session.rank() == 0};
  for (std::size_t a = 0; a < found.nodes.size(); ++a) {
    for (std::size_t b = a + 1; b < found.nodes.size(); ++b)
      found.links.push_back({a, b, measured_pair(session, relay, found.nodes[a].rank, found.nodes[b].rank, rounds)});
  }
  return found;
}

}  // namespace regatta::launcher
