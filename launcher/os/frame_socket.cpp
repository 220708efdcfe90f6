#include "os/frame_socket.hpp"

#include <poll.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "regatta/base/clock.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/passed_fds.hpp"

namespace regatta::launcher {
namespace {

void collect_descriptors(msghdr& message, std::vector<UniqueFd>& into) {
  for (cmsghdr* header = CMSG_FIRSTHDR(&message); header != nullptr; header = CMSG_NXTHDR(&message, header)) {
    if (header->cmsg_level != SOL_SOCKET || header->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
      into.emplace_back(fd);
    }
  }
}

}  // namespace

std::pair<UniqueFd, UniqueFd> socket_pair() {
  std::array<int, 2> ends{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    throw InternalError(errno_text("socketpair (too many open files?); raise `ulimit -n`", errno));
  }
  return {UniqueFd(ends[0]), UniqueFd(ends[1])};
}

void FrameSocket::send(const protocol::Frame& frame, const std::vector<int>& fds, double timeout_seconds) {
  send_encoded(protocol::encode(frame), fds, timeout_seconds);
}

void FrameSocket::send_encoded(std::string_view bytes, const std::vector<int>& fds, double timeout_seconds) {
  const Deadline deadline = Deadline::after(timeout_seconds);
  FdSpace space;
  std::size_t sent = 0;
  while (sent < bytes.size()) {
    iovec piece{const_cast<char*>(bytes.data()) + sent, bytes.size() - sent};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    if (sent == 0 && !fds.empty()) attach_fds(message, space, fds);
    const ssize_t wrote = ::sendmsg(fd_.get(), &message, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote >= 0) {
      sent += static_cast<std::size_t>(wrote);
    } else if (errno == EAGAIN) {
      if (deadline.passed()) throw PeerLost("the process at the other end does not read its link");
      pollfd wait{fd_.get(), POLLOUT, 0};
      ::poll(&wait, 1, 100);
    } else if (errno != EINTR) {
      throw PeerLost(errno_text("writing to a link", errno));
    }
  }
}

bool FrameSocket::receive_available() {
  constexpr int most_pieces = 16;  // a peer that floods its link must not keep us here
  std::array<char, 65536> buffer;
  for (int pieces = 0; pieces < most_pieces; ++pieces) {
    FdSpace space;
    iovec piece{buffer.data(), buffer.size()};
    msghdr message{};
    message.msg_iov = &piece;
    message.msg_iovlen = 1;
    message.msg_control = space.bytes.data();
    message.msg_controllen = space.bytes.size();
    const ssize_t got = ::recvmsg(fd_.get(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (got > 0) {
      collect_descriptors(message, descriptors_);
      reader_.feed({buffer.data(), static_cast<std::size_t>(got)});
      if (static_cast<std::size_t>(got) < buffer.size()) return true;
    } else if (got == 0) {
      return false;
    } else if (errno == EAGAIN) {
      return true;
    } else if (errno != EINTR) {
      return false;
    }
  }
  return true;
}

}  // namespace regatta::launcher
