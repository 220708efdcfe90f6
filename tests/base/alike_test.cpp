#include "regatta/base/alike.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta {
namespace {

using testing::ElementsAre;
using testing::Pair;

TEST(Alike, NumbersDoNotCount) {
  EXPECT_EQ(without_numbers("16 ranks of 1 core"), "# ranks of # core");
  EXPECT_EQ(without_numbers(""), "");
}

TEST(Alike, OneLineForReasonsThatDifferInNumbers) {
  EXPECT_THAT(folded({{"needs 2 ranks", 3}, {"needs 4 ranks", 5}, {"needs 8 ranks", 1}, {"no torch", 2}}),
              ElementsAre(Pair("needs 2 ranks (and 2 reasons like it, with other numbers)", 9), Pair("no torch", 2)));
}

TEST(Alike, TwoStandEachForItself) {
  EXPECT_THAT(folded({{"needs 2 ranks", 3}, {"needs 4 ranks", 5}}),
              ElementsAre(Pair("needs 2 ranks", 3), Pair("needs 4 ranks", 5)));
}

TEST(Alike, TextForAll) {
  EXPECT_EQ(text_for_all("a 1", 1), "a 1");
  EXPECT_EQ(text_for_all("a 1", 2), "a 1 (and 1 reason like it, with other numbers)");
}

}  // namespace
}  // namespace regatta
