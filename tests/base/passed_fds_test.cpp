#include "regatta/base/passed_fds.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include "regatta/base/unique_fd.hpp"

namespace regatta {
namespace {

/// One byte with the descriptors beside it; how many came, the last of them in `last`.
std::size_t passed(const std::vector<int>& fds, UniqueFd& last) {
  std::array<int, 2> ends{};
  EXPECT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends.data()), 0);
  const UniqueFd from(ends[0]);
  const UniqueFd to(ends[1]);
  char byte = 'x';
  iovec piece{&byte, 1};
  msghdr message{};
  message.msg_iov = &piece;
  message.msg_iovlen = 1;
  FdSpace space;
  attach_fds(message, space, fds);
  EXPECT_EQ(::sendmsg(from.get(), &message, 0), 1);
  FdSpace received;
  message.msg_control = received.bytes.data();
  message.msg_controllen = received.bytes.size();
  EXPECT_EQ(::recvmsg(to.get(), &message, 0), 1);
  const cmsghdr* header = CMSG_FIRSTHDR(&message);
  const std::size_t count = (header->cmsg_len - CMSG_LEN(0)) / sizeof(int);
  for (std::size_t i = 0; i < count; ++i) {
    int fd = -1;
    std::memcpy(&fd, CMSG_DATA(header) + i * sizeof(int), sizeof fd);
    last = UniqueFd(fd);
  }
  return count;
}

TEST(PassedFds, AreOpenAtTheOtherEnd) {
  std::array<int, 2> ends{};
  ASSERT_EQ(::pipe(ends.data()), 0);
  const UniqueFd reads(ends[0]);
  const UniqueFd writes(ends[1]);
  UniqueFd last;
  EXPECT_EQ(passed({writes.get()}, last), 1U);
  EXPECT_EQ(passed({reads.get(), reads.get(), reads.get(), writes.get()}, last), most_passed_fds);
  ASSERT_EQ(::write(last.get(), "y", 1), 1);
  char byte = 0;
  ASSERT_EQ(::read(reads.get(), &byte, 1), 1);
  EXPECT_EQ(byte, 'y');
}

}  // namespace
}  // namespace regatta
