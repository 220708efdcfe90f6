#include "regatta/results/outcome_text.hpp"

#include <gtest/gtest.h>

namespace regatta::results {
namespace {

const sweep::Outcome timed_out = sweep::Failed{sweep::FailureKind::timed_out, "no answer for 300 s"};
const sweep::Outcome skipped = sweep::Skipped{"no such layer"};

TEST(OutcomeText, KindAndMessageOfAFailureStandApart) {
  EXPECT_EQ(failure_of(timed_out), "timed_out");
  EXPECT_EQ(message_of(timed_out), "no answer for 300 s");
}

TEST(OutcomeText, ASkipHasAReasonAndNoKind) {
  EXPECT_EQ(failure_of(skipped), "none");
  EXPECT_EQ(message_of(skipped), "no such layer");
}

TEST(OutcomeText, WhatFinishedOrIsOpenHasNeither) {
  for (const sweep::Outcome& outcome : {sweep::Outcome(sweep::Finished{}), sweep::Outcome(sweep::Lost{})}) {
    EXPECT_EQ(failure_of(outcome), "none");
    EXPECT_EQ(message_of(outcome), "");
  }
}

}  // namespace
}  // namespace regatta::results
