// The worker's end of the protocol link: blocking, one request at a time.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "regatta/base/unique_fd.hpp"
#include "regatta/protocol/framing.hpp"

namespace regatta::worker {

/// All bytes, with `fds` beside the first of them (SCM_RIGHTS). Throws PeerLost if nobody reads them.
void write_all(int socket, std::string_view bytes, std::span<const int> fds = {});

class Link {
 public:
  explicit Link(UniqueFd fd) : fd_(std::move(fd)) {}

  /// The next frame; nothing once the agent has closed its end. Waits as long as the agent is silent: whoever
  /// gives up on a worker is the agent, and its death closes the link. Throws PeerLost for what is not a frame.
  std::optional<protocol::Frame> receive();

  /// Throws PeerLost if the agent is gone.
  void send(const protocol::Frame& frame);

 private:
  UniqueFd fd_;
  protocol::FrameReader reader_;
};

}  // namespace regatta::worker
