// Descriptors that go over a local socket beside its bytes (SCM_RIGHTS).
#pragma once

#include <sys/socket.h>

#include <array>
#include <cstddef>
#include <cstring>
#include <span>

namespace regatta {

inline constexpr std::size_t most_passed_fds = 4;

/// Space for the control data of a message: at most most_passed_fds file descriptors.
struct FdSpace {
  alignas(cmsghdr) std::array<char, CMSG_SPACE(sizeof(int) * most_passed_fds)> bytes{};
};

/// The message carries `fds`, at most most_passed_fds of them, in `space`.
inline void attach_fds(msghdr& message, FdSpace& space, std::span<const int> fds) {
  message.msg_control = space.bytes.data();
  message.msg_controllen = CMSG_SPACE(sizeof(int) * fds.size());
  cmsghdr* header = CMSG_FIRSTHDR(&message);
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = CMSG_LEN(sizeof(int) * fds.size());
  std::memcpy(CMSG_DATA(header), fds.data(), sizeof(int) * fds.size());
}

}  // namespace regatta
