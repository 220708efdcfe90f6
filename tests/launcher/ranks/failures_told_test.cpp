#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ranks/ranks.hpp"

namespace regatta::launcher {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

protocol::AttemptFailed failure(std::uint32_t block, std::uint32_t grant, const std::string& message) {
  return {{block}, {grant}, {0}, sweep::FailureKind::reported, message};
}

TEST(FailuresTold, TellAnErrorOnceAndHowOftenItCameAgain) {
  FailuresTold told;
  EXPECT_EQ(told.line_for(failure(1, 9, "no torch\ntraceback")), "block 1, attempt 1: reported: no torch\ntraceback");
  EXPECT_EQ(told.line_for(failure(1, 12, "no torch\ntraceback")), std::nullopt);
  EXPECT_EQ(told.line_for(failure(2, 13, "no torch\ntraceback")), std::nullopt);
  EXPECT_THAT(told.repeats(), ElementsAre("the same error 2 more times: reported: no torch..."));
  EXPECT_THAT(told.repeats(), IsEmpty());
}

/// The ids of grants count over all blocks of a run, and say nothing to a person who set "attempts" to 3.
TEST(FailuresTold, CountTheAttemptsAtAnArm) {
  FailuresTold told;
  static_cast<void>(told.line_for(failure(1, 7, "one")));
  EXPECT_EQ(told.line_for(failure(1, 9, "two"))->substr(0, 19), "block 1, attempt 2:");
  EXPECT_EQ(told.line_for(failure(3, 10, "three"))->substr(0, 19), "block 3, attempt 1:");
}

}  // namespace
}  // namespace regatta::launcher
