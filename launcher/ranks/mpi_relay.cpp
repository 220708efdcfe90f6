#include <mpi.h>

#include <array>
#include <cstring>
#include <optional>
#include <string>
#include <vector>

#include "os/drain_signal.hpp"
#include "ranks/outbox.hpp"
#include "ranks/ranks.hpp"

namespace regatta::launcher {
namespace {

using exchange::Chunk;
using exchange::ChunkHeader;

constexpr int tag = 1;                      // the communicator is the relay's alone
constexpr int posted = 8;                   // receives: what comes while nobody looks has a place
constexpr std::size_t most_on_the_way = 8;  // chunks that MPI has not taken
constexpr std::size_t place_bytes = sizeof(ChunkHeader) + exchange::most_chunk_bytes;

bool has_left(MPI_Request& request) {
  int done = 0;
  MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  return done != 0;
}

}  // namespace

struct MpiRelay::State {
  MPI_Comm comm = MPI_COMM_NULL;
  Outbox<MPI_Request> sends;
  std::array<MPI_Request, posted> receives;
  std::vector<std::byte> places;
  int handed_out = -1;  ///< the receive whose place is read still

  std::byte* place(int index) { return places.data() + static_cast<std::size_t>(index) * place_bytes; }

  void post(int index) {
    MPI_Irecv(place(index), static_cast<int>(place_bytes), MPI_BYTE, MPI_ANY_SOURCE, tag, comm,
              &receives[static_cast<std::size_t>(index)]);
  }

  void open() {
    if (!places.empty()) return;
    places.resize(posted * place_bytes);
    for (int index = 0; index < posted; ++index) post(index);
  }

  void release() { sends.release(has_left, sends.size()); }

  bool send(AgentId to, const ChunkHeader& header, std::span<const std::byte> bytes) {
    open();
    release();
    if (sends.size() >= most_on_the_way && header.kind != exchange::ChunkKind::poison) return false;
    std::string text(sizeof header + bytes.size(), '\0');
    std::memcpy(text.data(), &header, sizeof header);
    if (!bytes.empty()) std::memcpy(text.data() + sizeof header, bytes.data(), bytes.size());
    auto& message = sends.add(std::move(text), MPI_REQUEST_NULL);
    MPI_Isend(message.bytes.data(), static_cast<int>(message.bytes.size()), MPI_BYTE, static_cast<int>(to.value), tag,
              comm, &message.request);
    return true;
  }

  std::optional<Chunk> receive() {
    open();
    release();
    if (handed_out >= 0) post(std::exchange(handed_out, -1));
    int index = MPI_UNDEFINED;
    int there = 0;
    MPI_Status status;
    const LeaveAtDrain it_may_have_died;
    MPI_Testany(posted, receives.data(), &index, &there, &status);
    if (there == 0 || index == MPI_UNDEFINED) return std::nullopt;
    handed_out = index;
    int size = 0;
    MPI_Get_count(&status, MPI_BYTE, &size);
    Chunk chunk;
    if (size < static_cast<int>(sizeof chunk.header)) return std::nullopt;
    std::memcpy(&chunk.header, place(index), sizeof chunk.header);
    chunk.bytes = {place(index) + sizeof chunk.header, static_cast<std::size_t>(size) - sizeof chunk.header};
    return chunk;
  }

  /// Whether MPI touches no memory of this any more: what is on its way cannot be taken back.
  bool take_back() {
    release();
    bool is_idle = sends.size() == 0;
    for (MPI_Request& request : receives) {
      if (places.empty() || request == MPI_REQUEST_NULL) continue;
      MPI_Cancel(&request);
      is_idle &= has_left(request);
    }
    return is_idle;
  }
};

MpiRelay::MpiRelay(const MpiSession& session) : state_(std::make_unique<State>()) {
  if (session.size() == 1) return;
  const LeaveAtDrain one_may_have_died;
  MPI_Comm_dup(MPI_COMM_WORLD, &state_->comm);
}

MpiRelay::MpiRelay(MpiRelay&&) noexcept = default;

MpiRelay::~MpiRelay() {
  if (state_ && !state_->take_back()) static_cast<void>(state_.release());
}

exchange::RelayTransport MpiRelay::transport() {
  State& state = *state_;
  return {[&state](AgentId to, const ChunkHeader& header, std::span<const std::byte> bytes) {
            return state.send(to, header, bytes);
          },
          [&state] { return state.receive(); },
          [&state] {
            state.release();
            return state.sends.size() == 0;
          }};
}

}  // namespace regatta::launcher
