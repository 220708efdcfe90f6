#include "link.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>

#include "regatta/base/error.hpp"

namespace regatta::worker {

std::optional<protocol::Frame> Link::receive() {
  std::array<char, 65536> piece;
  for (;;) {
    if (auto frame = reader_.next()) return frame;
    const ssize_t count = ::read(fd_.get(), piece.data(), piece.size());
    if (count > 0) {
      reader_.feed({piece.data(), static_cast<std::size_t>(count)});
    } else if (count == 0 || errno == ECONNRESET) {
      return std::nullopt;
    } else if (errno != EINTR) {
      throw PeerLost(errno_text("read requests", errno));
    }
  }
}

void Link::send(const protocol::Frame& frame) {
  const std::string bytes = protocol::encode(frame);
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t count = ::write(fd_.get(), left.data(), left.size());
    if (count > 0) {
      left.remove_prefix(static_cast<std::size_t>(count));
    } else if (errno != EINTR) {
      throw PeerLost(errno_text("write a reply", errno));
    }
  }
}

}  // namespace regatta::worker
