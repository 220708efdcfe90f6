#include "measuring/bridge.hpp"

#include <gtest/gtest.h>

#include "measuring/measuring.hpp"

namespace regatta::launcher {
namespace {

TEST(Bridge, RanksThatShareMemoryAreOnOneNode) {
  EXPECT_EQ(several_nodes({"a"}), 0);
  EXPECT_EQ(several_nodes({"a", "a", "a", "a"}), 0);
  EXPECT_EQ(several_nodes({"a", "a", "b", "b"}), 2);
  EXPECT_EQ(several_nodes({"a", "b", "a", "c"}), 3);
}

TEST(RelayLine, IsServedWhileAWorkerIsWaitedFor) {
  RelayLine line;
  int others = 0;
  const Chores chores = with_relay(
      [&] {
        ++others;
        return 1.0;
      },
      line);
  EXPECT_EQ(chores(), 1.0);
  line.beside = [] { return 0.25; };
  EXPECT_EQ(chores(), 0.25);
  line.beside = [] { return 3.0; };
  EXPECT_EQ(chores(), 1.0) << "what else is due comes first";
  line.beside = nullptr;
  EXPECT_EQ(chores(), 1.0);
  EXPECT_EQ(others, 4);
}

}  // namespace
}  // namespace regatta::launcher
