#include <gtest/gtest.h>

#include "regatta/exchange/shared_memory.hpp"

namespace regatta::exchange {
namespace {

TEST(SoloCommunicator, SumsAreItsOwnGradients) {
  const std::vector<std::size_t> one = {3};
  const auto solo = make_solo_communicator(make_arena(one, {}, 1));
  solo->gradients()[2] = 7;
  solo->ready(0);
  solo->wait(0, 0);
  EXPECT_EQ(solo->sums()[2], 7);
}

}  // namespace
}  // namespace regatta::exchange
