#include "regatta/sweep/outcome.hpp"

#include <gtest/gtest.h>

#include <set>
#include <string>

namespace regatta::sweep {
namespace {

TEST(Outcome, StatusIsOneWord) {
  EXPECT_STREQ(status_of(Finished{}), "finished");
  EXPECT_STREQ(status_of(Failed{FailureKind::crashed, ""}), "failed");
  EXPECT_STREQ(status_of(Skipped{"no such layer"}), "skipped");
  EXPECT_STREQ(status_of(Lost{}), "open");
}

TEST(Outcome, ReasonNamesKindAndMessage) {
  EXPECT_EQ(reason_of(Failed{FailureKind::timed_out, "no answer for 300 s"}), "timed_out: no answer for 300 s");
  EXPECT_EQ(reason_of(Failed{FailureKind::out_of_memory, ""}), "out_of_memory");
  EXPECT_EQ(reason_of(Skipped{"no such layer"}), "no such layer");
  EXPECT_EQ(reason_of(Finished{}), "");
  EXPECT_EQ(reason_of(Lost{}), "");
}

TEST(Outcome, SaysHowManyCoresATrialLacks) {
  EXPECT_EQ(too_few_cores(4, 2),
            "not answerable on this machine: needs 4 cores on one slot; the largest slot of this job has 2; start with "
            "fewer ranks per host or lower `threads`");
}

TEST(Outcome, KindsHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(FailureKind::device); ++i) names.insert(to_string(static_cast<FailureKind>(i)));
  EXPECT_EQ(names, (std::set<std::string>{"crashed", "timed_out", "out_of_memory", "protocol", "flooded", "reported",
                                          "could_not_start", "device"}));
}

}  // namespace
}  // namespace regatta::sweep
