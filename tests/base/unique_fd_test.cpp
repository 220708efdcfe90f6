#include "regatta/base/unique_fd.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>

namespace regatta {
namespace {

UniqueFd open_null() { return UniqueFd(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }
bool is_open(int fd) { return ::fcntl(fd, F_GETFD) >= 0; }

TEST(UniqueFd, ClosesAtTheEndOfItsLife) {
  int number = -1;
  {
    const UniqueFd fd = open_null();
    number = fd.get();
    EXPECT_TRUE(is_open(number));
  }
  EXPECT_FALSE(is_open(number));
}

TEST(UniqueFd, MovesWithoutClosing) {
  UniqueFd first = open_null();
  const int number = first.get();
  UniqueFd second = std::move(first);
  EXPECT_EQ(second.get(), number);
  UniqueFd third;
  third = std::move(second);
  EXPECT_EQ(third.get(), number);
  EXPECT_TRUE(is_open(number));
  EXPECT_FALSE(static_cast<bool>(first)) << "else it would be closed twice";
  EXPECT_FALSE(static_cast<bool>(second));
}

TEST(UniqueFd, GivesTheDescriptorAway) {
  UniqueFd fd = open_null();
  const UniqueFd other(fd.release());
  EXPECT_FALSE(static_cast<bool>(fd));
  EXPECT_TRUE(is_open(other.get()));
}

TEST(UniqueFd, IsEmptyAfterReset) {
  UniqueFd fd = open_null();
  fd.reset();
  EXPECT_FALSE(static_cast<bool>(fd));
  EXPECT_EQ(fd.get(), -1);
}

}  // namespace
}  // namespace regatta
