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
  EXPECT_EQ(reason_of(Skipped{"torch is not here", SkipKind::not_installed}), "torch is not here");
  EXPECT_EQ(reason_of(Skipped{"needs a GPU", SkipKind::not_answerable}), "not answerable on this machine: needs a GPU");
  EXPECT_EQ(reason_of(Finished{}), "");
  EXPECT_EQ(reason_of(Lost{}), "");
}

TEST(Outcome, SaysHowManyCoresOrRanksATrialLacks) {
  EXPECT_EQ(reason_of(too_few_cores(4, 2)),
            "not answerable on this machine: needs 4 cores on one slot; the largest slot of this job has 2; start with "
            "fewer ranks per host or lower `threads`");
  EXPECT_EQ(too_few_ranks(4, 1, 1).reason,
            "needs 4 ranks of 1 core at once; this job has 1 slot of that size; start with more ranks or lower "
            "`ranks`");
  EXPECT_EQ(too_few_ranks(4, 1, 1).kind, SkipKind::too_few_ranks);
}

TEST(Outcome, SkipsMayRunElsewhereUnlessNothingSupportsThem) {
  EXPECT_FALSE(may_run_elsewhere(SkipKind::unsupported));
  for (const auto kind : {SkipKind::not_installed, SkipKind::too_few_ranks, SkipKind::not_answerable})
    EXPECT_TRUE(may_run_elsewhere(kind)) << to_string(kind);
}

TEST(Outcome, KindsHaveNamesOfTheirOwn) {
  std::set<std::string> names;
  for (int i = 0; i <= static_cast<int>(FailureKind::rank_lost); ++i)
    names.insert(to_string(static_cast<FailureKind>(i)));
  EXPECT_EQ(names, (std::set<std::string>{"crashed", "timed_out", "out_of_memory", "protocol", "flooded", "reported",
                                          "could_not_start", "device", "rank_lost"}));
}

TEST(Outcome, EachReasonToStopHasANameByWhichItIsFound) {
  std::set<std::string> names;
  for (std::size_t i = 0; i < why_stopped_names.size(); ++i) {
    const auto why = static_cast<WhyStopped>(i);
    EXPECT_TRUE(names.insert(to_string(why)).second) << i;
    EXPECT_EQ(state_of<WhyStopped>(why_stopped_names, to_string(why)), why);
  }
  EXPECT_STREQ(to_string(WhyStopped::none), "");
  EXPECT_EQ(state_of<WhyStopped>(why_stopped_names, "tired"), std::nullopt);
}

}  // namespace
}  // namespace regatta::sweep
