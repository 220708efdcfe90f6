#include "link.hpp"

#include <unistd.h>

#include <array>
#include <cerrno>
#include <string>
#include <utility>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/passed_fds.hpp"

namespace regatta::worker {
namespace {

constexpr std::size_t most_held_bytes = std::size_t{64} << 10;
constexpr double longest_hold_seconds = 1e-3;

ssize_t write_with(int socket, std::string_view bytes, std::span<const int> fds) {
  iovec piece{const_cast<char*>(bytes.data()), bytes.size()};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  FdSpace space;
  attach_fds(message, space, fds);
  return ::sendmsg(socket, &message, MSG_NOSIGNAL);
}

}  // namespace

std::optional<protocol::Frame> Link::receive() {
  std::array<char, 65536> piece;
  for (;;) {
    if (auto frame = reader_.next()) {
      if (is_due()) flush();
      return frame;
    }
    flush();
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

void write_all(int socket, std::string_view bytes, std::span<const int> fds) {
  while (!bytes.empty()) {
    const ssize_t count = fds.empty() ? ::write(socket, bytes.data(), bytes.size()) : write_with(socket, bytes, fds);
    if (count > 0) {
      bytes.remove_prefix(static_cast<std::size_t>(count));
      fds = {};
    } else if (errno != EINTR) {
      throw PeerLost(errno_text("write a reply", errno));
    }
  }
}

bool Link::is_due() const {
  if (held_.empty()) return false;
  return held_.size() >= most_held_bytes || steady_seconds() - held_since_seconds_ >= longest_hold_seconds;
}

void Link::send(const protocol::Frame& frame) {
  if (held_.empty()) held_since_seconds_ = steady_seconds();
  held_ += protocol::encode(frame);
  if (is_due()) flush();
}

void Link::flush() { write_all(fd_.get(), std::exchange(held_, {})); }

}  // namespace regatta::worker
