#include "ranks/self_watch.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace regatta::launcher {
namespace {

TEST(SelfWatch, NotesAllThatItSaw) {
  SelfWatch watch(100, 5);
  watch.loop.turn_begins(100.5);
  watch.loop.turn_ends(101, 3);
  watch.slots.heard({0}, protocol::AgentReady{}, 100);
  LogHistogram syncs;
  syncs.add(0.25);
  const results::Orchestration self = watch.note(104, syncs);
  for (const results::OrchestrationField& field : results::orchestration_fields)
    EXPECT_FALSE(std::isnan(self.*field.value)) << field.name;
  EXPECT_EQ(self.elapsed_seconds, 4);
  EXPECT_EQ(self.foretold_seconds, 5);
  EXPECT_EQ(self.turns, 1);
  EXPECT_EQ(self.lag_p99_seconds, 0.5);
  EXPECT_EQ(self.inbox_most, 3);
  EXPECT_EQ(self.syncs, 1);
  EXPECT_EQ(self.sync_median_seconds, 0.25);
  EXPECT_EQ(self.slots, 1);
  EXPECT_EQ(self.tail_share, 1);
}

TEST(SelfWatch, NotesMoreSeldomTheLongerItRuns) {
  SelfWatch watch(0, 5);
  int notes = 0;
  double last = 0;
  for (double now = 0; now < 36000; now += 0.5) {
    if (!watch.is_note_due(now)) continue;
    EXPECT_LE(now - last, std::max(3.0, now / 16 + 0.5));
    static_cast<void>(watch.note(now, {}));
    last = now;
    ++notes;
  }
  EXPECT_GT(notes, 50);
  EXPECT_LT(notes, 200);
}

}  // namespace
}  // namespace regatta::launcher
