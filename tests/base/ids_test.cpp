#include "regatta/base/ids.hpp"

#include <gtest/gtest.h>

#include <type_traits>
#include <unordered_set>

namespace regatta {
namespace {

TEST(Ids, OfDifferentThingsDoNotMix) {
  static_assert(!std::is_convertible_v<TrialIndex, BlockIndex>);
  static_assert(!std::is_convertible_v<int, TrialIndex>);
  static_assert(!std::is_same_v<ArmIndex, AgentId>);
  SUCCEED() << "checked by the compiler";
}

TEST(Ids, AreOrderedByValueAndZeroByDefault) {
  EXPECT_EQ(TrialIndex{}, TrialIndex{0});
  EXPECT_LT(TrialIndex{1}, TrialIndex{2});
  EXPECT_NE(TrialIndex{1}, TrialIndex{2});
}

TEST(Ids, AreKeysOfUnorderedContainers) {
  const std::unordered_set<BlockIndex> set = {BlockIndex{1}, BlockIndex{2}, BlockIndex{1}};
  EXPECT_EQ(set.size(), 2U);
}

}  // namespace
}  // namespace regatta
