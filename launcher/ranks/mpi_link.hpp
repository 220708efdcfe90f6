// Messages between ranks. The only files that know MPI are mpi_link.cpp, mpi_relay.cpp and mpi_session.cpp.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "os/wait.hpp"
#include "regatta/base/ids.hpp"
#include "regatta/protocol/framing.hpp"

namespace regatta::launcher {

/// MPI from MPI_Init to MPI_Finalize, and where this rank stands.
class MpiSession {
 public:
  /// MPI_THREAD_FUNNELED. Throws InputError if a job of several tasks came up as singletons.
  MpiSession();

  /// Waits some seconds for the other ranks to come to their end, too. Where one does not (it is dead), MPI_Finalize
  /// would hang, and is left out.
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  [[nodiscard]] int rank() const { return rank_; }
  [[nodiscard]] int size() const { return size_; }
  [[nodiscard]] int local_rank() const { return local_rank_; }  ///< among the ranks of this host
  [[nodiscard]] int local_size() const { return local_size_; }

  /// The lowest rank of this host: a number that its ranks share.
  [[nodiscard]] int host() const { return host_; }

  /// Each rank's text on every rank, in their order. Collective, as broadcast.
  [[nodiscard]] std::vector<std::string> gather(const std::string& text, const Chores& chores) const;

  /// Rank 0's text on every rank. Collective, while nothing is measured; a rank that waits for it sleeps, and serves
  /// `chores`.
  [[nodiscard]] std::string broadcast(std::string text, const Chores& chores) const;

 private:
  int rank_ = 0;
  int size_ = 1;
  int local_rank_ = 0;
  int host_ = 0;
  int local_size_ = 1;
};

/// "Open MPI 4.1.4": the library that is linked.
std::string mpi_version();

/// Between whom a frame goes: an agent and the coordinator, or the agents of a gang.
enum class Channel : std::uint8_t { coordinator, gang };

struct Incoming {
  AgentId from;
  Channel channel = Channel::coordinator;
  protocol::Frame frame;
};

/// Point-to-point frames. Never blocks: sends are buffered until MPI took them.
class MpiLink {
 public:
  MpiLink();
  MpiLink(MpiLink&&) noexcept;
  ~MpiLink();
  /// Until `taken`: MPI has a copy. Until `heard`: the other rank has asked for it, and got it.
  enum class Until : std::uint8_t { taken, heard };
  void send(AgentId to, Channel channel, protocol::Frame frame, Until until = Until::taken);

  /// One message if one is there. Throws PeerLost for a damaged frame.
  std::optional<Incoming> poll();

  /// Whether all that was sent is taken or heard, as was asked for.
  [[nodiscard]] bool flushed();

  /// When poll() found a message last, on the steady clock; 0 before.
  [[nodiscard]] double heard_seconds() const { return heard_seconds_; }

 private:
  struct Sends;
  double heard_seconds_ = 0;
  std::unique_ptr<Sends> sends_;
};

}  // namespace regatta::launcher
