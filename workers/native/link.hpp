// The worker's end of the protocol link: blocking. Answers are held back while requests wait, so that whoever sent
// several at once is woken once.
#pragma once

#include <optional>
#include <span>
#include <string>
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
  /// gives up on a worker is the agent, and its death closes the link. Throws PeerLost for what is not a frame, or if
  /// the agent is gone and an answer was held back.
  std::optional<protocol::Frame> receive();

  /// At the latest when no request waits. Throws PeerLost if the agent is gone.
  void send(const protocol::Frame& frame);

  /// Sends the answers that were held back.
  void flush();

 private:
  [[nodiscard]] bool is_due() const;

  UniqueFd fd_;
  protocol::FrameReader reader_;
  std::string held_;
  double held_since_seconds_ = 0;
};

}  // namespace regatta::worker
