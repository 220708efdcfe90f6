// Frames over local stream sockets, with descriptors passed beside them.
#pragma once

#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "regatta/base/unique_fd.hpp"
#include "regatta/protocol/framing.hpp"

namespace regatta::launcher {

/// A connected pair of local stream sockets, close-on-exec.
std::pair<UniqueFd, UniqueFd> socket_pair();

/// One end of a framed link.
class FrameSocket {
 public:
  explicit FrameSocket(UniqueFd fd) : fd_(std::move(fd)) {}

  /// Writes a whole frame, with `fds` passed by SCM_RIGHTS. Blocks while the peer's buffer is full, for
  /// at most `timeout_seconds`. Throws PeerLost if the peer is gone or does not read.
  void send(const protocol::Frame& frame, const std::vector<int>& fds = {}, double timeout_seconds = 30);

  /// The same of frames that are encoded already.
  void send_encoded(std::string_view frames, const std::vector<int>& fds = {}, double timeout_seconds = 30);

  /// Reads what has arrived without waiting. False at the end of the stream.
  bool receive_available();

  /// The next whole frame received so far. Throws PeerLost for nonsense.
  std::optional<protocol::Frame> next() { return reader_.next(); }

  /// Descriptors that arrived, in order; the caller takes them.
  std::vector<UniqueFd> take_descriptors() { return std::exchange(descriptors_, {}); }

  [[nodiscard]] int fd() const { return fd_.get(); }

 private:
  UniqueFd fd_;
  protocol::FrameReader reader_;
  std::vector<UniqueFd> descriptors_;
};

}  // namespace regatta::launcher
