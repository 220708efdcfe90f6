#include "ranks/node_slots.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::launcher {
namespace {

using testing::ElementsAre;

TEST(NodeSlots, AreToldInOneLineForEachNode) {
  EXPECT_THAT(slot_lines({{0, "n1", 4, 0}, {0, "n1", 4, 0}, {2, "n2", 2, 0}}),
              ElementsAre("node n2: 1 slot of 2 cores", "node n1: 2 slots of 4 cores"));
}

TEST(NodeSlots, OfNodesThatAreAlikeShareALine) {
  EXPECT_THAT(slot_lines({{0, "n1", 1, 0}, {1, "n2", 1, 0}, {2, "n3", 1, 0}, {3, "n4", 1, 0}}),
              ElementsAre("nodes n1, n2, n3 and 1 more: 1 slot of 1 core each"));
}

TEST(NodeSlots, NameCoresOfTheJobThatNoneOfThemHas) {
  EXPECT_THAT(slot_lines({{0, "n1", 1, 14}, {0, "n1", 3, 14}}),
              ElementsAre("node n1: 2 slots of 1 to 3 cores; 14 CPUs of the job there are in no slot (see "
                          "--cpus-per-task)"));
}

}  // namespace
}  // namespace regatta::launcher
