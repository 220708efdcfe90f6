#include "ranks/mpi_link.hpp"

#include <mpi.h>

#include "os/drain_signal.hpp"
#include "ranks/outbox.hpp"
#include "regatta/base/error.hpp"

namespace regatta::launcher {
namespace {

constexpr int first_tag = 1;                // the first channel's
constexpr std::size_t tests_of_a_turn = 2;  // more than one, so that what is sent faster than polled is released too

int tag_of(Channel channel) { return first_tag + static_cast<int>(channel); }

bool is_sent(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

}  // namespace

struct MpiLink::Sends : Outbox<MPI_Request> {};

MpiLink::MpiLink() : sends_(std::make_unique<Sends>()) {}
MpiLink::MpiLink(MpiLink&&) noexcept = default;
MpiLink::~MpiLink() = default;

void MpiLink::send(AgentId to, Channel channel, protocol::Frame frame, Until until) {
  const auto isend = until == Until::heard ? MPI_Issend : MPI_Isend;
  auto& message = sends_->add(protocol::encode(std::move(frame)), MPI_REQUEST_NULL);
  isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, static_cast<int>(to.value),
        tag_of(channel), MPI_COMM_WORLD, &message.request);
}

bool MpiLink::flushed() {
  sends_->release(is_sent, sends_->size());
  return sends_->size() == 0;
}

std::optional<Incoming> MpiLink::poll() {
  sends_->release(is_sent, tests_of_a_turn);
  int there = 0;
  MPI_Status status;
  // Two probes: the first only makes progress, so that one alone would find a message a whole sleep later.
  for (int probe = 0; probe < 2 && there == 0; ++probe)
    MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
  if (there == 0) return std::nullopt;
  heard_seconds_ = steady_seconds();
  int size = 0;
  MPI_Get_count(&status, MPI_BYTE, &size);
  std::string bytes(static_cast<std::size_t>(size), '\0');
  const LeaveAtDrain it_may_have_died;
  MPI_Recv(bytes.data(), size, MPI_BYTE, status.MPI_SOURCE, status.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
  return Incoming{{static_cast<std::uint32_t>(status.MPI_SOURCE)},
                  static_cast<Channel>(status.MPI_TAG - first_tag),
                  protocol::decode(std::move(bytes))};
}

}  // namespace regatta::launcher
