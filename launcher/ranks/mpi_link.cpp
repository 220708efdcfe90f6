#include "ranks/mpi_link.hpp"

#include <mpi.h>

#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

constexpr int frame_tag = 1;

}  // namespace

struct MpiLink::Outgoing {
  std::string bytes;
  MPI_Request request;
};

MpiLink::MpiLink() : outgoing_(std::make_unique<std::list<Outgoing>>()) {}
MpiLink::MpiLink(MpiLink&&) noexcept = default;
MpiLink::~MpiLink() = default;

void MpiLink::send(AgentId to, const protocol::Frame& frame) {
  Outgoing& message = outgoing_->emplace_back(Outgoing{protocol::encode(frame), MPI_REQUEST_NULL});
  MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, static_cast<int>(to.value),
            frame_tag, MPI_COMM_WORLD, &message.request);
}

bool MpiLink::flushed() {
  std::erase_if(*outgoing_, [](Outgoing& message) {
    int done = 0;
    MPI_Test(&message.request, &done, MPI_STATUS_IGNORE);
    return done != 0;
  });
  return outgoing_->empty();
}

std::optional<Incoming> MpiLink::poll() {
  static_cast<void>(flushed());
  int there = 0;
  MPI_Status status;
  // Two probes: the first only makes progress, so that one alone would find a message a whole sleep later.
  for (int probe = 0; probe < 2 && there == 0; ++probe)
    MPI_Iprobe(MPI_ANY_SOURCE, frame_tag, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, frame_tag, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  protocol::FrameReader reader;
  reader.feed(bytes);
  auto frame = reader.next();
  if (!frame || !reader.empty()) throw PeerLost("a message between ranks is damaged");
  return Incoming{{static_cast<std::uint32_t>(status.MPI_SOURCE)}, std::move(*frame)};
}

}  // namespace regatta::launcher
