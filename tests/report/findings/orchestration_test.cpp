#include "regatta/report/orchestration.hpp"

#include <gtest/gtest.h>

namespace regatta::report {
namespace {

results::Orchestration busy() {
  results::Orchestration self;
  self.elapsed_seconds = 10;
  self.cpu_seconds = 1.25;
  self.turns = 4000;
  self.lag_median_seconds = 2e-5;
  self.lag_p99_seconds = 1.1e-3;
  self.lag_most_seconds = 0.5;
  self.inbox_median = 3;
  self.inbox_p99 = 8;
  self.inbox_most = 40;
  self.syncs = 120;
  self.sync_median_seconds = 8e-4;
  self.sync_p99_seconds = 4.1e-3;
  self.sync_most_seconds = 0.02;
  self.slots = 2;
  self.idle_share = 0.04;
  self.idle_share_most = 0.07;
  self.tail_share = 0.02;
  return self;
}

TEST(Orchestration, IsOneSentence) {
  EXPECT_EQ(orchestration_text({{"2026-01-02T03:04:05Z", true, -1, busy()}}),
            "took 10.0 s; orchestration took 1.25 s of rank 0; messages waited 20.0 us for rank 0 (99 of 100 at most "
            "1.10 ms), 3 at once (at most 40); 120 syncs took 800 us (99 of 100 at most 4.10 ms); slots were idle "
            "for 4 % (2 % at the end, when nothing was left for them), the most idle one for 7 %");
}

TEST(Orchestration, SaysBesideItsTimeWhatWasForetold) {
  results::Orchestration self = busy();
  self.foretold_seconds = 12;
  EXPECT_EQ(orchestration_text({{"then", true, -1, self}}).find("took 10.0 s (estimated 12.0 s); "), 0U);
}

TEST(Orchestration, IsThatOfTheLastSessionThatTells) {
  EXPECT_EQ(orchestration_text({}), "");
  EXPECT_EQ(orchestration_text({{"then"}}), "");
  EXPECT_TRUE(orchestration_text({{"then", true, -1, {}}, {"now", true, -1, busy()}, {"killed early"}})
                  .starts_with("session 2 of 3 took 10.0 s"));
}

TEST(Orchestration, SaysNothingOfWhatThereWasNot) {
  results::Orchestration self = busy();
  self.slots = 1;
  EXPECT_EQ(orchestration_text({{"", true, -1, self}}).find("most idle"), std::string::npos);
  self.syncs = 0;
  self.idle_share = results::Orchestration::unknown;
  const std::string text = orchestration_text({{"", true, -1, self}});
  EXPECT_EQ(text.find("syncs"), std::string::npos);
  EXPECT_EQ(text.find("idle"), std::string::npos);
}

}  // namespace
}  // namespace regatta::report
