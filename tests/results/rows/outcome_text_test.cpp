#include "regatta/results/outcome_text.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace regatta::results {
namespace {

using testing::ElementsAre;
using testing::Pair;

const sweep::Outcome timed_out = sweep::Failed{sweep::FailureKind::timed_out, "no answer for 300 s"};
const sweep::Outcome skipped = sweep::Skipped{"no such layer"};

TEST(OutcomeText, KindAndMessageOfAFailureStandApart) {
  EXPECT_EQ(cause_of(timed_out), "timed_out");
  EXPECT_EQ(message_of(timed_out), "no answer for 300 s");
}

TEST(OutcomeText, KindAndReasonOfASkipStandApart) {
  EXPECT_EQ(cause_of(skipped), "unsupported");
  EXPECT_EQ(message_of(skipped), "no such layer");
}

TEST(OutcomeText, WhatFinishedOrIsOpenHasNeither) {
  for (const sweep::Outcome& outcome : {sweep::Outcome(sweep::Finished{}), sweep::Outcome(sweep::Lost{})}) {
    EXPECT_EQ(cause_of(outcome), "none");
    EXPECT_EQ(message_of(outcome), "");
  }
}

TEST(AlikeReasons, NumbersDoNotCount) {
  EXPECT_EQ(without_numbers("16 ranks of 1 core"), "# ranks of # core");
  EXPECT_EQ(without_numbers(""), "");
}

TEST(AlikeReasons, OneLineForReasonsThatDifferInNumbers) {
  EXPECT_THAT(folded({{"needs 2 ranks", 3}, {"needs 4 ranks", 5}, {"needs 8 ranks", 1}, {"no torch", 2}}),
              ElementsAre(Pair("needs 2 ranks (and 2 reasons like it, with other numbers)", 9), Pair("no torch", 2)));
}

TEST(AlikeReasons, TwoStandEachForItself) {
  EXPECT_THAT(folded({{"needs 2 ranks", 3}, {"needs 4 ranks", 5}}),
              ElementsAre(Pair("needs 2 ranks", 3), Pair("needs 4 ranks", 5)));
}

TEST(AlikeReasons, TextForAll) {
  EXPECT_EQ(text_for_all("a 1", 1), "a 1");
  EXPECT_EQ(text_for_all("a 1", 2), "a 1 (and 1 reason like it, with other numbers)");
}

}  // namespace
}  // namespace regatta::results
