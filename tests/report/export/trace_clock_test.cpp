#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "report/export/export.hpp"

namespace regatta::report {
namespace {

using testing::ElementsAre;

TEST(TraceClock, BlocksOfOneHostShareTheLargestOffsetThatFitsAll) {
  // The steady clock is 900 behind; the second block ended 0.5 after its last sample, the first 2 after.
  EXPECT_THAT(offsets_of({{0, 1000, 1010, 103, 108}, {0, 1011, 1020, 115, 119.5}}), ElementsAre(900.5, 900.5));
}

TEST(TraceClock, OtherHostsHaveOtherClocks) {
  EXPECT_THAT(offsets_of({{0, 1000, 1010, 103, 108}, {1, 1000, 1010, 5003, 5009}}), ElementsAre(902, -3999));
}

TEST(TraceClock, ARestartOfTheMachineBeginsAnew) {
  EXPECT_THAT(offsets_of({{0, 1000, 1010, 103, 108}, {0, 1100, 1110, 3, 9}}), ElementsAre(902, 1101));
}

TEST(TraceClock, BlocksWithoutSamplesHaveNone) {
  EXPECT_THAT(offsets_of({{0, 1000, 1010}, {0, 1000, 1010, 103, 108}}), ElementsAre(0, 902));
}

}  // namespace
}  // namespace regatta::report
