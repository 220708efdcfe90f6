#include <netinet/in.h>
#include <sys/socket.h>

#include <cerrno>

#include "launch/launch.hpp"
#include "regatta/base/error.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {

std::uint16_t free_port() {
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_ANY);
  socklen_t size = sizeof address;
  auto* const any = reinterpret_cast<sockaddr*>(&address);
  if (::bind(fd.get(), any, size) != 0 || ::getsockname(fd.get(), any, &size) != 0)
    throw InputError(errno_text("cannot find a free port for the ranks of a program to meet at", errno));
  return ntohs(address.sin_port);
}

}  // namespace regatta::launcher
