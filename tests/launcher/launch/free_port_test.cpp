#include <gtest/gtest.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include "launch/launch.hpp"
#include "regatta/base/unique_fd.hpp"

namespace regatta::launcher {
namespace {

TEST(FreePort, IsOneThatAProgramCanListenOn) {
  const std::uint16_t port = free_port();
  EXPECT_GT(port, 0);
  const UniqueFd fd(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  EXPECT_EQ(::bind(fd.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
  EXPECT_EQ(::listen(fd.get(), 1), 0);
}

}  // namespace
}  // namespace regatta::launcher
